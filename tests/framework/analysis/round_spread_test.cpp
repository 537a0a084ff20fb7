// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/round_spread.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

namespace dflash {
namespace {

TEST(RoundSpread, TakesOutWhatARoundHasInCommon) {
  const std::optional<RunSpread> spread = round_spread({{1.0, 5.0, 2.0}, {1.5, 5.5, 2.5}});
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->degrees, 2);
  EXPECT_NEAR(spread->squares, 0.0, 1e-12);
}

TEST(RoundSpread, IsThatOfPairsWhereThereAreTwoVariants) {
  const std::optional<RunSpread> spread = round_spread({{0.0, 0.0, 0.0}, {0.1, 0.2, 0.6}});
  EXPECT_NEAR(spread->squares, (0.04 + 0.01 + 0.09) / 2.0, 1e-12);  // the pairs' own, which have twice the variance
}

TEST(RoundSpread, NeedsTwoDegreesOfFreedom) {
  EXPECT_FALSE(round_spread({}));
  EXPECT_FALSE(round_spread({{1.0, 2.0, 3.0}}));
  EXPECT_FALSE(round_spread({{1.0, 2.0}, {1.0, 2.0}}));
  EXPECT_EQ(round_spread({{1.0, 2.0}, {1.0, 2.0}, {1.0, 2.0}})->degrees, 2);
}

// Rounds differ by 20 %, the runs of a round by 2 %.
TEST(RoundSpread, GivesBoundsThatHoldTheTruth) {
  std::mt19937_64 random{1};  // NOLINT: the same draws each time
  std::normal_distribution<double> normal;
  constexpr int kRepeats = 4000;
  int held = 0;
  double width = 0.0;
  for (int i = 0; i < kRepeats; ++i) {
    std::vector<std::vector<double>> logs(3, std::vector<double>(3));
    for (std::size_t round = 0; round < 3; ++round) {
      const double mood = 0.2 * normal(random);
      for (std::vector<double>& variant : logs) {
        variant[round] = mood + 0.02 * normal(random);
      }
    }
    std::vector<std::vector<Blocks>> runs(2);
    for (std::size_t variant = 0; variant < 2; ++variant) {
      for (const double log : logs[variant]) {
        runs[variant].push_back(Blocks(4, std::exp(log)));
      }
    }
    const std::optional<Estimate> ratio = cost_ratio(runs[0], runs[1], {.spread = round_spread(logs)});
    held += ratio->low <= 1.0 && ratio->high >= 1.0 ? 1 : 0;
    width += std::log(ratio->high / ratio->low) / kRepeats;
  }
  EXPECT_NEAR(static_cast<double>(held) / kRepeats, 0.95, 0.015);
  EXPECT_LT(width, 0.1);
}

}  // namespace
}  // namespace dflash
