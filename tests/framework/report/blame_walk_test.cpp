// SPDX-License-Identifier: Apache-2.0
#include "framework/report/blame_walk.h"

#include <numeric>

#include <gmock/gmock.h>

#include "tests/framework/report/simulated_chain.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::Gt;
using ::testing::IsEmpty;

TEST(BlameWalk, FollowsABlockedProducerToASlowConsumerTwoStagesOn) {
  const Blame blame = walk_blame(simulate(constant_chain({"a", "b", "c", "d"}, {500, 600, 2000, 700}, 400)));
  EXPECT_EQ(blame.causes.front().name, "c");
  EXPECT_THAT(blame.causes.front().share, Gt(0.95));
}

TEST(BlameWalk, FollowsStarvationToASlowSource) {
  const Blame blame = walk_blame(simulate(constant_chain({"a", "b", "c", "d"}, {2000, 600, 500, 700}, 400)));
  EXPECT_EQ(blame.causes.front().name, "a");
  EXPECT_EQ(blame.causes.front().kind, WaitCause::Kind::kSource);
  EXPECT_THAT(blame.causes.front().share, Gt(0.95));
}

TEST(BlameWalk, FollowsEightFastStagesToTheSlowOneAtTheEnd) {
  const Blame blame =
      walk_blame(simulate(constant_chain({"a", "b", "c", "d", "e", "f", "g", "h"}, {9, 8, 7, 9, 8, 7, 9, 20}, 800)));
  EXPECT_EQ(blame.causes.front().name, "h");
  EXPECT_THAT(blame.causes.front().share, Gt(0.8));
}

TEST(BlameWalk, MovesEveryWaitingNanosecondExactlyOnce) {
  const RunRecord record = simulate(constant_chain({"a", "b", "c", "d"}, {500, 600, 2000, 700}, 100));
  const Blame blame = walk_blame(record);
  double waited = 0.0;
  for (const StageRecord& stage : record.stages) {
    waited += static_cast<double>(stage.starved_in_ns + stage.blocked_out_ns + stage.dispatch_ns);
  }
  EXPECT_THAT(blame.waiting_ns, DoubleNear(waited, 1.0));
  const double shares = std::accumulate(blame.causes.begin(), blame.causes.end(), 0.0,
                                        [](double sum, const WaitCause& cause) { return sum + cause.share; });
  EXPECT_THAT(shares, DoubleNear(1.0, 1e-9));
}

TEST(BlameWalk, ChargesDispatchToTheLane) {
  RunRecord record = simulate(constant_chain({"a", "b"}, {1000, 1000}, 100));
  record.stages[0].dispatch_ns = 50'000;
  const Blame blame = walk_blame(record);
  EXPECT_EQ(blame.causes.front().kind, WaitCause::Kind::kLane);
  EXPECT_EQ(blame.causes.front().name, "cpu");
}

TEST(BlameWalk, PassesThroughABufferToTheStageBehindIt) {
  RunRecord record = simulate(constant_chain({"fast", "queue", "slow"}, {100, 1, 2000}, 200));
  record.edges.push_back({.name = "queue", .from_stage = 1, .to_stage = 1, .is_buffer = true, .capacity_items = 60});
  const Blame blame = walk_blame(record);
  EXPECT_EQ(blame.causes.front().name, "slow");
  EXPECT_GT(blame.causes.front().share, 0.999);
}

TEST(BlameWalk, PassesThroughABufferToTheStageBeforeIt) {
  RunRecord record = simulate(constant_chain({"slow", "queue", "fast"}, {2000, 1, 100}, 200));
  record.edges.push_back({.name = "queue", .from_stage = 1, .to_stage = 1, .is_buffer = true, .capacity_items = 60});
  const Blame blame = walk_blame(record);
  EXPECT_EQ(blame.causes.front().name, "slow");
  EXPECT_GT(blame.causes.front().share, 0.999);
}

TEST(BlameWalk, StopsAtABufferThatIsSlowItself) {
  RunRecord record = simulate(constant_chain({"source", "queue", "sink"}, {100, 2000, 500}, 200));
  record.edges.push_back({.name = "queue", .from_stage = 1, .to_stage = 1, .is_buffer = true, .capacity_items = 60});
  const Blame blame = walk_blame(record);
  EXPECT_EQ(blame.causes.front().name, "queue");
  EXPECT_GT(blame.causes.front().share, 0.95);
}

TEST(BlameWalk, EndsWhereStagesWaitForEachOtherInARing) {
  RunRecord record;
  record.wall_ns = 100;
  record.stages = {{.name = "split", .lane = "cpu", .busy_ns = 0, .blocked_out_ns = 100, .blocked_by = {{0, 100}}},
                   {.name = "left", .lane = "cpu", .blocked_out_ns = 100, .blocked_by = {{2, 100}}},
                   {.name = "join", .lane = "cpu", .starved_in_ns = 100, .starved_by = {{1, 100}}}};
  record.edges = {{.name = "split->left", .from_stage = 0, .to_stage = 1},
                  {.name = "split->join", .from_stage = 0, .to_stage = 2},
                  {.name = "left->join", .from_stage = 1, .to_stage = 2}};
  const Blame blame = walk_blame(record);
  EXPECT_THAT(blame.waiting_ns, DoubleNear(300.0, 1e-6));
}

TEST(BlameWalk, FindsNothingWhereNothingWaits) {
  RunRecord record;
  record.wall_ns = 100;
  record.stages = {{.name = "only", .lane = "cpu", .busy_ns = 100}};
  EXPECT_THAT(walk_blame(record).causes, IsEmpty());
}

TEST(StageRecord, LeavesTheTimeOutInWhichAStageCouldNotFire) {
  const StageRecord stage{.name = "late", .slots = 2, .busy_ns = 60, .ended_ns = 80};
  EXPECT_DOUBLE_EQ(stage.utilisation(100), 0.5);
}

}  // namespace
}  // namespace dflash
