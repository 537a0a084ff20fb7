// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/block_ratio.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "framework/analysis/aligned_work.h"

namespace dflash {
namespace {

constexpr int kRepeats = 2000;

/// Steps of 100 on average that spread by 30; each resembles the one before it by `likeness` (0: not at all). Runs
/// spread by `run_spread` beside, as a share.
class Steps {
 public:
  explicit Steps(double likeness, double run_spread = 0.0) : likeness_{likeness}, run_spread_{run_spread} {}

  WorkSeries run(std::int64_t count, double mean = 100.0) {
    const double luck = std::exp(run_spread_ * normal_(random_));
    double state = normal_(random_);
    WorkSeries series;
    for (std::int64_t step = 1; step <= count; ++step) {
      state = likeness_ * state + std::sqrt(1.0 - likeness_ * likeness_) * normal_(random_);
      series.push_back({.number = step, .cost = mean * luck * (1.0 + 0.3 * state)});
    }
    return series;
  }

 private:
  double likeness_;
  double run_spread_;
  std::mt19937_64 random_{1};  // NOLINT: the same draws each time
  std::normal_distribution<double> normal_;
};

/// The share of comparisons of A with B, which is truly `faster` times as fast, whose bounds hold that.
double coverage(Steps steps, std::int64_t count, std::size_t runs, double faster) {
  int held = 0;
  for (int i = 0; i < kRepeats; ++i) {
    std::vector<WorkSeries> a;
    std::vector<WorkSeries> b;
    for (std::size_t k = 0; k < runs; ++k) {
      a.push_back(steps.run(count, 100.0 * faster));
      b.push_back(steps.run(count, 100.0));
    }
    const AlignedWork work = align(a, b);
    const std::optional<Estimate> ratio = cost_ratio(work.a, work.b);
    held += ratio && ratio->low <= faster && faster <= ratio->high ? 1 : 0;
  }
  return static_cast<double>(held) / kRepeats;
}

Blocks flat(double cost) { return Blocks(20, cost); }

TEST(BlockRatio, HoldsTheTruthInNineteenOfTwentyCasesOfWhiteNoise) {
  EXPECT_NEAR(coverage(Steps{0.0, kAssumedRunSpread}, 200, 1, 1.1), 0.95, 0.02);
  EXPECT_NEAR(coverage(Steps{0.0, kAssumedRunSpread}, 40, 1, 1.1), 0.95, 0.02);
}

TEST(BlockRatio, HoldsTheTruthWhereStepsResembleTheOnesBefore) {
  EXPECT_NEAR(coverage(Steps{0.5, kAssumedRunSpread}, 200, 1, 1.1), 0.95, 0.02);
  EXPECT_NEAR(coverage(Steps{0.8, kAssumedRunSpread}, 200, 1, 1.1), 0.95, 0.02);
  EXPECT_NEAR(coverage(Steps{0.9, kAssumedRunSpread}, 400, 1, 0.8), 0.95, 0.03);
}

TEST(BlockRatio, CallsEqualRunsUndecided) {
  EXPECT_GE(coverage(Steps{0.0}, 200, 1, 1.0), 0.935);  // 0.95 but for the luck of 2,000 draws
  EXPECT_GE(coverage(Steps{0.8}, 400, 1, 1.0), 0.935);
  EXPECT_GE(coverage(Steps{0.8}, 200, 3, 1.0), 0.94);
}

TEST(BlockRatio, CountsTheLuckOfRuns) {
  EXPECT_GE(coverage(Steps{0.5, 0.1}, 100, 2, 1.1), 0.94);
  EXPECT_GE(coverage(Steps{0.5, 0.1}, 100, 3, 1.1), 0.94);
  EXPECT_LE(coverage(Steps{0.5, 0.1}, 400, 1, 1.0), 0.6);  // which one run of each cannot see
}

TEST(BlockRatio, DividesTheMeans) {
  const std::optional<Estimate> ratio = cost_ratio({flat(120.0)}, {flat(100.0)});
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->value, 1.2, 1e-12);
  EXPECT_EQ(pace_of(ratio), Pace::kFaster);
  EXPECT_EQ(pace_of(cost_ratio({flat(100.0)}, {flat(120.0)})), Pace::kSlower);
  EXPECT_EQ(pace_of(cost_ratio({flat(100.0)}, {flat(100.0)})), Pace::kUndecided);
}

TEST(BlockRatio, AssumesThatSingleRunsDiffer) {
  EXPECT_EQ(pace_of(cost_ratio({flat(102.0)}, {flat(100.0)})), Pace::kUndecided);
  EXPECT_EQ(pace_of(cost_ratio({flat(104.0)}, {flat(100.0)})), Pace::kFaster);
  EXPECT_EQ(pace_of(cost_ratio({flat(102.0), flat(102.0)}, {flat(100.0), flat(100.0)})), Pace::kFaster);
}

TEST(BlockRatio, TakesWhatBothRunsHaveForNoNoise) {
  Blocks uneven = flat(100.0);
  for (std::size_t i = 0; i < 10; ++i) {
    uneven[i] = 300.0;
  }
  Blocks quicker = uneven;
  for (double& cost : quicker) {
    cost /= 1.05;
  }
  EXPECT_EQ(pace_of(cost_ratio({uneven}, {quicker})), Pace::kFaster);
}

TEST(BlockRatio, IsHonestAboutFewBlocks) {
  const std::optional<Estimate> two = cost_ratio({{100.0, 110.0}}, {{90.0, 80.0}});
  ASSERT_TRUE(two);
  EXPECT_EQ(pace_of(two), Pace::kUndecided);
  EXPECT_FALSE(cost_ratio({{100.0}}, {{90.0}}));
  EXPECT_FALSE(cost_ratio({{}}, {{}}));
  EXPECT_FALSE(cost_ratio({flat(0.0)}, {flat(1.0)}));
  EXPECT_FALSE(cost_ratio({}, {flat(1.0)}));
  EXPECT_EQ(pace_of(std::nullopt), Pace::kUndecided);
}

TEST(BlockRatio, WidensWithTheConfidence) {
  const std::vector<Blocks> a{{100.0, 104.0, 97.0, 103.0, 98.0, 101.0}};
  const std::vector<Blocks> b{{90.0, 92.0, 91.0, 88.0, 93.0, 90.0}};
  EXPECT_LT(cost_ratio(a, b, 0.99)->low, cost_ratio(a, b)->low);
}

TEST(BlockRatio, EstimatesTheCostOfOneSide) {
  const std::optional<Estimate> cost = mean_cost({flat(100.0), flat(110.0), flat(121.0)});
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->value, 110.0, 1e-9);
  EXPECT_NEAR(std::log(cost->high / cost->value), 4.303 * std::log(1.1) / std::sqrt(3.0), 1e-3);
  EXPECT_FALSE(mean_cost({}));
}

TEST(BlockRatio, NamesChanges) {
  EXPECT_STREQ(pace_name(Pace::kFaster), "faster");
  EXPECT_STREQ(pace_name(Pace::kSlower), "slower");
  EXPECT_STREQ(pace_name(Pace::kUndecided), "undecided");
}

}  // namespace
}  // namespace dflash
