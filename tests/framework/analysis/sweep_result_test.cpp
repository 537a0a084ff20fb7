// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_result.h"

#include <gmock/gmock.h>

#include "tests/framework/analysis/made_sweep.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

TEST(SweepResult, NamesTheBest) {
  const SweepResult result = judge_sweep({row("slow", 20000), row("quick", 10000, 0.001, 2.0), row("middle", 15000)});
  EXPECT_EQ(result.best, 1U);
  EXPECT_THAT(result.sentence, AllOf(StartsWith("The best is 'quick' with 100 % more steps/s (95 %: "),
                                     HasSubstr(") than 'slow', losses differ by up to 50 % (step 1).")));
  EXPECT_NEAR(result.rows[2].against_first->ratio->value, 4.0 / 3.0, 1e-3);
}

TEST(SweepResult, SaysThatTheFirstIsBest) {
  EXPECT_THAT(judge_sweep({row("quick", 10000), row("slowest", 30000), row("slow", 20000)}).sentence,
              StartsWith("The best is 'quick', the first; next is 'slow' with 50 % fewer steps/s (95 %: "));
}

TEST(SweepResult, SaysWhatCannotBeToldApart) {
  EXPECT_THAT(judge_sweep({row("a", 10000, 0.1), row("b", 9900, -0.1)}).sentence,
              StartsWith("The variants cannot be told apart. The fastest was 'b' with 1.0 % more steps/s"));
  EXPECT_THAT(judge_sweep({row("a", 20000), row("b", 10000), row("c", 10010, -0.001)}).sentence,
              AllOf(StartsWith("The best is 'b'"), HasSubstr("; it cannot be told from 'c'.")));
}

TEST(SweepResult, TakesOutWhatARoundHasInCommon) {
  EXPECT_THAT(judge_sweep({row("a", 10000, 0.3), row("b", 10500, 0.3)}).sentence,
              StartsWith("The best is 'a', the first; next is 'b' with 4.8 % fewer"));
}

// Nine others are nine chances to be ahead of one by luck.
TEST(SweepResult, NeedsMoreToBeSureOfTheBestOfMany) {
  std::vector<SweepRow> rows{row("b", 10000, 0.0175)};
  for (int i = 0; i < 9; ++i) {
    rows.push_back(row("c" + std::to_string(i), 10400, i % 2 == 0 ? -0.0175 : 0.0175));
  }
  const SweepResult result = judge_sweep(rows);
  EXPECT_EQ(pace_of(result.rows[1].against_first->ratio), Pace::kSlower);
  EXPECT_THAT(result.sentence, StartsWith("The variants cannot be told apart."));
}

TEST(SweepResult, GoesOnWithoutWhatFailed) {
  const SweepResult result = judge_sweep({failed("broken"), row("a", 20000), row("b", 10000)});
  EXPECT_EQ(result.first, 1U);
  EXPECT_EQ(result.best, 2U);
  EXPECT_EQ(result.rows[1].against_first->ratio->low, 1.0);
  EXPECT_EQ(judge_sweep({failed("broken"), row("a", 20000)}).sentence, "Only 'a' came to its end.");
  EXPECT_EQ(judge_sweep({failed("broken")}).sentence, "No variant came to its end with enough steps to compare.");
}

TEST(SweepResult, KeepsOfRecordsWhatItCompares) {
  const RunRecords run = MadeRun{.step_ns = 1234}.records();
  const RunRecords kept = kept_records(run);
  EXPECT_THAT(kept.timeline.stages, SizeIs(1));
  EXPECT_THAT(kept.timeline.edges, SizeIs(0));
  EXPECT_EQ(compare_throughput({run}, {kept}).ratio->value, 1.0);
}

}  // namespace
}  // namespace dflash
