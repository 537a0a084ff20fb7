// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_result.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "tests/framework/analysis/made_sweep.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Sweeps of three rounds: these differ by 20 %, the runs of a round by 2 %. The last variant is `faster` times as fast
/// as the others.
class DrawnSweeps {
 public:
  DrawnSweeps(std::size_t variants, double faster) : variants_{variants}, faster_{faster} {}

  SweepResult next() {
    std::vector<SweepRow> rows(variants_);
    for (std::int64_t round = 1; round <= 3; ++round) {
      const double mood = 1e6 * std::exp(0.2 * normal_(random_));
      for (SweepRow& row : rows) {
        row.runs.push_back({.round = round, .run_dir = {}, .text = {}, .progress = run(mood)});
      }
    }
    for (SweepRun& run : rows.back().runs) {
      for (WorkSample& step : run.progress->steps) {
        step.cost /= faster_;
      }
    }
    return judged(std::move(rows));
  }

 private:
  RunProgress run(double mean) {
    RunProgress run{.name = {}, .makes_steps = true, .steps = {}, .paces = {}, .losses = {}};
    for (std::int64_t step = 1; step <= 5; ++step) {
      run.steps.push_back({.number = step, .cost = mean * (1.0 + 0.04 * normal_(random_))});
    }
    return run;
  }

  std::size_t variants_;
  double faster_;
  std::mt19937_64 random_{1};  // NOLINT: the same draws each time
  std::normal_distribution<double> normal_;
};

TEST(SweepResult, NamesTheBest) {
  const SweepResult result = judged({row("slow", 20000), row("quick", 10000, 0.001, 2.0), row("middle", 15000)});
  EXPECT_EQ(result.best, 1U);
  EXPECT_THAT(result.sentence, AllOf(StartsWith("The best is 'quick' with 100 % more steps/s (95 %: "),
                                     HasSubstr(") than 'slow', losses differ by up to 50 % (step 1).")));
  EXPECT_NEAR(result.rows[2].against_first->ratio->value, 4.0 / 3.0, 1e-3);
}

TEST(SweepResult, SaysThatTheFirstIsBest) {
  EXPECT_THAT(judged({row("quick", 10000), row("slowest", 30000), row("slow", 20000)}).sentence,
              StartsWith("The best is 'quick', the first; next is 'slow' with 50 % fewer steps/s (95 %: "));
}

TEST(SweepResult, SaysWhatCannotBeToldApart) {
  EXPECT_THAT(judged({row("a", 10000, 0.1), row("b", 9900, -0.1)}).sentence,
              StartsWith("The variants cannot be told apart. The fastest was 'b' with 1.0 % more steps/s"));
  EXPECT_THAT(judged({row("a", 20000), row("b", 10000), row("c", 10010, -0.001)}).sentence,
              AllOf(StartsWith("The best is 'b'"), HasSubstr("; it cannot be told from 'c'.")));
}

TEST(SweepResult, NamesNoBestOfSingleRuns) {
  std::vector<SweepRow> rows{row("slow", 20000), row("quick", 10000)};
  for (SweepRow& single : rows) {
    single.runs.resize(1);
  }
  const SweepResult result = judged(std::move(rows));
  EXPECT_EQ(result.best, std::nullopt);
  EXPECT_EQ(result.fastest, 1U);
  EXPECT_THAT(result.sentence, StartsWith("Single runs cannot tell a change from what else the machine did: give more "
                                          "--rounds. The fastest was 'quick' with 100 % more steps/s"));
}

TEST(SweepResult, TakesOutWhatARoundHasInCommon) {
  EXPECT_THAT(judged({row("a", 10000, 0.3), row("b", 10500, 0.3)}).sentence,
              StartsWith("The best is 'a', the first; next is 'b' with 4.8 % fewer"));
}

// Nine others are nine chances to be ahead of one by luck.
TEST(SweepResult, NeedsMoreToBeSureOfTheBestOfMany) {
  std::vector<SweepRow> rows{row("b", 10000, 0.0175)};
  for (int i = 0; i < 9; ++i) {
    rows.push_back(row("c" + std::to_string(i), 10400, i % 2 == 0 ? -0.0175 : 0.0175));
  }
  const SweepResult result = judged(rows);
  EXPECT_EQ(pace_of(result.rows[1].against_first->ratio), Pace::kSlower);
  EXPECT_THAT(result.sentence, StartsWith("The variants cannot be told apart."));
}

// The fastest is the luckiest: which one that will be nobody knows before.
TEST(SweepResult, TellsEqualVariantsApartInOneOfTwentySweepsAtMost) {
  constexpr int kSweeps = 200;
  for (const std::size_t variants : {4, 10, 16}) {
    DrawnSweeps sweeps{variants, 1.0};
    int wrong = 0;
    for (int i = 0; i < kSweeps; ++i) {
      wrong += sweeps.next().sentence.starts_with("The variants cannot be told apart.") ? 0 : 1;
    }
    EXPECT_LE(wrong, kSweeps / 20) << variants << " variants";
  }
}

TEST(SweepResult, FindsTheBestOfManyWhereItIsSo) {
  constexpr int kSweeps = 100;
  for (const std::size_t variants : {2, 4, 16}) {
    DrawnSweeps sweeps{variants, 1.2};
    int found = 0;
    for (int i = 0; i < kSweeps; ++i) {
      found += sweeps.next().best == variants - 1 ? 1 : 0;
    }
    EXPECT_GE(found, 95) << variants << " variants";
  }
}

TEST(SweepResult, GoesOnWithoutWhatFailed) {
  const SweepResult result = judged({failed("broken"), row("a", 20000), row("b", 10000)});
  EXPECT_EQ(result.first, 1U);
  EXPECT_EQ(result.best, 2U);
  EXPECT_EQ(result.rows[1].against_first->ratio->low, 1.0);
  EXPECT_EQ(judged({failed("broken"), row("a", 20000)}).sentence, "Only 'a' came to its end.");
  EXPECT_EQ(judged({failed("broken")}).sentence, "No variant came to its end with enough steps to compare.");
}

// A change that may do nothing is not worth making.
TEST(SweepResult, KnowsNoBestThatMayBeNoBetterThanTheFirst) {
  const SweepResult undecided = judged({row("a", 10000, 0.1), row("b", 9900, -0.1)});
  EXPECT_EQ(undecided.fastest, 1U);
  EXPECT_FALSE(undecided.best);
  const SweepResult result = judged({row("a", 10000), row("b", 9995, -0.001), row("c", 20000)});
  EXPECT_EQ(result.fastest, 1U);
  EXPECT_FALSE(result.best);
  EXPECT_THAT(result.sentence, AllOf(StartsWith("None is surely better than the first. The fastest was 'b' with 0.1 %"),
                                     HasSubstr("; it cannot be told from 'a'.")));
}

TEST(SweepResult, IsJudgedAnewAfterEachRun) {
  SweepResult result = judged({row("a", 10000), row("b", 20000)});
  EXPECT_EQ(result.best, 0U);
  result.rows[1] = row("b", 5000);
  judge(result);
  EXPECT_EQ(result.best, 1U);
}

}  // namespace
}  // namespace dflash
