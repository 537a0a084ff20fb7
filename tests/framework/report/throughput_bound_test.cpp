// SPDX-License-Identifier: Apache-2.0
#include "framework/report/throughput_bound.h"

#include <gmock/gmock.h>

#include "tests/framework/report/simulated_chain.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;

TEST(ThroughputBound, IsSetByTheSlowestStage) {
  const ThroughputBound bound = throughput_bound(simulate(constant_chain({"a", "b"}, {500, 2000}, 400)));
  EXPECT_EQ(bound.limits.front().name, "b");
  EXPECT_THAT(bound.bound, DoubleNear(500'000.0, 1.0));
  EXPECT_LT(bound.gap, 0.01);
}

TEST(ThroughputBound, CountsASlotAsAWorkerOfTheStage) {
  RunRecord record;
  record.wall_ns = 1000;
  record.stages = {{.name = "wide", .lane = "cpu", .firings = 8, .slots = 4, .busy_ns = 3600}};
  const ThroughputBound bound = throughput_bound(record);
  EXPECT_EQ(bound.limits.front().wall_ns, 900.0);
  EXPECT_THAT(bound.gap, DoubleNear(0.1, 1e-9));
}

TEST(ThroughputBound, IsSetByALaneWhoseStagesShareOneWorker) {
  RunRecord record = simulate(constant_chain({"a", "b", "c"}, {700, 700, 700}, 400));
  record.lanes.front().workers = 1;
  const ThroughputBound bound = throughput_bound(record);
  EXPECT_TRUE(bound.limits.front().is_lane);
  EXPECT_GE(bound.gap, 0.0);
}

TEST(ThroughputBound, LeavesOutWhatWasMadeAheadAndNotTaken) {
  RunRecord record;
  record.wall_ns = 1000;
  record.steps = 10;
  record.stages = {{.name = "ahead", .lane = "cpu", .firings = 40, .busy_ns = 1000},
                   {.name = "step", .lane = "cpu", .firings = 10, .busy_ns = 900}};
  record.lanes = {{.name = "cpu", .workers = 2}};
  record.edges = {{.name = "ahead.out->step.in", .from_stage = 0, .to_stage = 1, .items = 40, .abandoned = 31}};
  const ThroughputBound bound = throughput_bound(record);
  EXPECT_EQ(bound.limits.front().name, "step");
  EXPECT_THAT(bound.gap, DoubleNear(0.1, 1e-9));
  EXPECT_THAT(bound.limits.back().wall_ns, DoubleNear(250.0, 1e-9)) << "'ahead', for the ten that were taken";
}

TEST(ThroughputBound, IsEmptyForAnEmptyRecord) {
  const ThroughputBound bound = throughput_bound(RunRecord{});
  EXPECT_EQ(bound.achieved, 0.0);
  EXPECT_TRUE(bound.limits.empty());
}

}  // namespace
}  // namespace dflash
