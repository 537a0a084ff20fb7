// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/block_ratio.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

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

/// Of draws of equal programs whose runs spread by `between` and whose means the noise within them moves by `within`.
struct Drawn {
  double ratio_held = 0.0;  // the share of draws whose bounds hold the truth
  double cost_held = 0.0;   // those of A's cost
  double ratio_half = 0.0;  // half the width of the ratio's bounds, in logarithms: the median
};

Drawn draw(std::size_t runs_a, std::size_t runs_b, double between, double within, std::size_t draws = kRepeats) {
  std::mt19937_64 random{1};  // NOLINT: the same draws each time
  std::normal_distribution<double> normal;
  const auto runs_of = [&](std::size_t count) {
    std::vector<Blocks> runs(count, flat(100.0));
    for (Blocks& run : runs) {
      const double luck = std::exp(between * normal(random));
      const double noise = within * std::sqrt(static_cast<double>(run.size()));
      std::ranges::for_each(run, [&](double& cost) { cost *= luck * (1.0 + noise * normal(random)); });
    }
    return runs;
  };
  double ratio_held = 0.0;
  double cost_held = 0.0;
  std::vector<double> halves;
  for (std::size_t i = 0; i < draws; ++i) {
    const std::vector<Blocks> a = runs_of(runs_a);
    const Estimate ratio = cost_ratio(a, runs_of(runs_b)).value();
    const Estimate cost = mean_cost(a).value();
    ratio_held += pace_of(ratio) == Pace::kUndecided ? 1.0 : 0.0;
    cost_held += cost.low <= 100.0 && 100.0 <= cost.high ? 1.0 : 0.0;
    halves.push_back(std::log(ratio.high / ratio.low) / 2.0);
  }
  std::ranges::sort(halves);
  const auto all = static_cast<double>(draws);
  return {.ratio_held = ratio_held / all, .cost_held = cost_held / all, .ratio_half = halves[draws / 2]};
}

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
  EXPECT_GE(coverage(Steps{0.8}, 200, 3, 1.0), 0.935);
}

TEST(BlockRatio, CountsTheLuckOfRuns) {
  EXPECT_GE(coverage(Steps{0.5, 0.1}, 100, 2, 1.1), 0.935);
  EXPECT_GE(coverage(Steps{0.5, 0.1}, 100, 3, 1.1), 0.935);
  EXPECT_LE(coverage(Steps{0.5, 0.1}, 400, 1, 1.0), 0.6);  // which one run of each cannot see
}

// A single run of each side sees no more than what is assumed.
TEST(BlockRatio, HoldsTheTruthWithFewRuns) {
  for (const auto& [a, b] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 3}}) {
    for (const double between : {0.0, a + b == 2 ? kAssumedRunSpread : 0.06}) {
      const Drawn drawn = draw(a, b, between, 0.01);
      EXPECT_GE(drawn.ratio_held, 0.93) << a << " against " << b << ", between runs " << between;
      EXPECT_GE(drawn.cost_held, a == 1 && b == 2 ? 0.0 : 0.93) << a << " runs, between them " << between;
    }
  }
}

TEST(BlockRatio, IsNotWiderThanFewRunsDeserve) {
  const auto half = [](std::size_t a, std::size_t b, double between) {
    return draw(a, b, between, 0.002, 200).ratio_half;
  };
  EXPECT_LT(half(1, 1, 0.002), 0.06);
  EXPECT_LT(half(2, 1, 0.002), 0.06);
  EXPECT_LT(half(2, 2, 0.002), 0.02);
  EXPECT_LT(half(3, 3, 0.002), 0.01);
  EXPECT_LT(half(2, 1, 0.02), 0.25);  // of 2 %, one degree of freedom shows as little as that
}

TEST(BlockRatio, TakesTwoRunsThatAreCloseByChanceForNoMore) {
  EXPECT_EQ(pace_of(cost_ratio({flat(102.0), flat(102.0)}, {flat(100.0)})), Pace::kUndecided);
  EXPECT_EQ(pace_of(cost_ratio({flat(108.0), flat(108.0)}, {flat(100.0)})), Pace::kFaster);
  EXPECT_EQ(pace_of(cost_ratio({flat(106.0), flat(110.0)}, {flat(100.0)})), Pace::kUndecided);
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
  EXPECT_EQ(pace_of(cost_ratio({flat(108.0)}, {flat(100.0)})), Pace::kFaster);
  EXPECT_EQ(pace_of(cost_ratio({flat(102.0), flat(102.0)}, {flat(100.0), flat(100.0)})), Pace::kFaster);
}

TEST(BlockRatio, TakesWhatBothRunsHaveForNoNoise) {
  Blocks uneven = flat(100.0);
  for (std::size_t i = 0; i < 10; ++i) {
    uneven[i] = 300.0;
  }
  Blocks quicker = uneven;
  for (double& cost : quicker) {
    cost /= 1.1;
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
  EXPECT_LT(cost_ratio(a, b, {.confidence = 0.99})->low, cost_ratio(a, b)->low);
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
