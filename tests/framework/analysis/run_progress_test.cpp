// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/run_progress.h"

#include <gmock/gmock.h>

#include "tests/framework/analysis/made_records.h"

namespace dflash {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(RunProgress, KeepsStepsAndLossesOfARunThatMakesThem) {
  const RunProgress progress = progress_of(MadeRun{.step_ns = 1234}.records());
  EXPECT_EQ(progress.name, "runs/a");
  EXPECT_TRUE(progress.makes_steps);
  ASSERT_THAT(progress.steps, SizeIs(99));
  EXPECT_EQ(progress.steps[0].cost, 1234);
  EXPECT_EQ(progress.steps[0].work, 50);
  EXPECT_THAT(progress.paces, IsEmpty());
  ASSERT_THAT(progress.losses, SizeIs(100));
  EXPECT_EQ(progress.losses[1].loss, 0.5);
}

TEST(RunProgress, KeepsThePaceOfEachStageWhereThereAreNoSteps) {
  RunRecords run = MadeRun{}.records();
  run.timeline.steps.clear();
  const RunProgress progress = progress_of(run);
  EXPECT_FALSE(progress.makes_steps);
  ASSERT_THAT(progress.paces, SizeIs(2));
  EXPECT_EQ(progress.paces[1].stage, "sink");
  EXPECT_THAT(progress.paces[1].firings, SizeIs(99));
}

TEST(RunProgress, LeavesOutStagesBehindDrops) {
  RunRecords run = MadeRun{}.records();
  run.timeline.steps.clear();
  run.report["edges"][0]["drops"] = 2;
  const RunProgress progress = progress_of(run);
  ASSERT_THAT(progress.paces, SizeIs(1));
  EXPECT_EQ(progress.paces[0].stage, "source");
}

}  // namespace
}  // namespace dflash
