// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/replay_stage.h"

#include <gmock/gmock.h>

#include "tests/framework/analysis/replayed.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(ReplayStage, AccountsForTheTimeBetweenStepsAsTheRuntimeDoes) {
  HandMadeTimeline made = chain_of({Times(4, 10), Times(4, 20)}, 8);
  made.steps(1, 4);
  made.between_steps(1, 2, 100);
  const StageRecord step = replayed(made).record.stages[1];
  EXPECT_EQ(step.busy_ns, 180);
  EXPECT_EQ(step.between_ns, 100);
  EXPECT_EQ(step.service.sum(), 80);
  EXPECT_EQ(step.service.max(), 20);
}

// The host evaluates once a firing's work is launched; the device does that work meanwhile.
TEST(ReplayStage, LeavesTheTimeBetweenStepsOutOfADevicesWork) {
  HandMadeTimeline made;
  made.stage("source", {10, 10});
  made.stage("step", {5, 5}, {.lane = "gpu", .device = "sim:0"}, {30, 30});
  made.edge(0, 1);
  made.steps(1, 2);
  made.between_steps(1, 1, 100);
  const Replayed run = replayed(made);
  EXPECT_EQ(run.timeline.stages[1].device_firings[0].end, 40);
  EXPECT_EQ(run.record.stages[1].gpu_in_work_ns, 60);
  EXPECT_THAT(begins(run, 1), ElementsAre(10, 115));
}

TEST(ReplayStage, CountsBodiesAheadOfTheDeviceAsWork) {
  HandMadeTimeline made;
  made.stage("first", Times(5, 1), {.lane = "a", .device = "sim:0"}, Times(5, 100));
  made.stage("second", Times(5, 50), {.lane = "b", .device = "sim:0"}, Times(5, 20));
  made.edge(0, 1);
  const Replayed run = replayed(made);
  // The first two are launched at once, each later one once the last but one is done; its work waits for its input.
  EXPECT_THAT(begins(run, 1), ElementsAre(1, 51, 120, 220, 320));
  EXPECT_EQ(run.record.stages[1].gpu_in_work_ns, 5 * (50 + 20) - 1) << "the second body's end meets the first work";
}

}  // namespace
}  // namespace dflash
