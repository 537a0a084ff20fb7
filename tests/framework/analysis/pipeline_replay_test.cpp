// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/pipeline_replay.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>

#include "framework/report/verdict.h"
#include "tests/framework/analysis/replayed.h"

namespace dflash {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

// A stage that gets more items than it has recorded firings repeats these.
TEST(PipelineReplay, StandsStillBeforeItsTimeCanNoLongerBeSummed) {
  HandMadeTimeline made;
  made.stage("source", Times(5000, 0));
  made.stage("repeats", {std::int64_t{1} << 53});
  made.edge(0, 1, 5000);
  const Replayed run = replayed(made);
  EXPECT_FALSE(run.has_finished);
  EXPECT_GT(run.timeline.wall_ns, 0);
  EXPECT_GT(run.record.stages[1].busy_ns, 0);
}

TEST(PipelineReplay, RunsAChainAtThePaceOfItsSlowestStage) {
  const Replayed run = replayed(chain_of({Times(4, 10), Times(4, 20), Times(4, 10)}, 8));
  EXPECT_THAT(begins(run, 0), ElementsAre(0, 10, 20, 30));
  EXPECT_THAT(begins(run, 1), ElementsAre(10, 30, 50, 70));
  EXPECT_THAT(begins(run, 2), ElementsAre(30, 50, 70, 90));
  EXPECT_EQ(run.timeline.wall_ns, 100);
  EXPECT_TRUE(run.has_finished);
}

TEST(PipelineReplay, LetsAStageBeginOnlyWhereItsEdgeHasRoom) {
  EXPECT_THAT(begins(replayed(chain_of({Times(5, 10), Times(5, 30)}, 1)), 0), ElementsAre(0, 10, 40, 70, 100));
  EXPECT_THAT(begins(replayed(chain_of({Times(5, 10), Times(5, 30)}, 2)), 0), ElementsAre(0, 10, 20, 40, 70));
}

TEST(PipelineReplay, HoldsAStageUpWithWhatFoundNoRoom) {
  HandMadeTimeline made;
  made.stage("splitter", {10, 10});
  made.stage("slow", Times(6, 30));
  made.edge(0, 1, {.capacity = 1, .items_a_firing = 3});
  const Replayed run = replayed(made);
  // Items leave at 10, 10 (the first is taken at once) and 40; the last of the first three is taken at 70.
  EXPECT_THAT(begins(run, 0), ElementsAre(0, 70));
  EXPECT_THAT(begins(run, 1), ElementsAre(10, 40, 70, 100, 130, 160));
}

TEST(PipelineReplay, FiresSlotsBesideEachOtherAndSendsInOrder) {
  HandMadeTimeline made;
  made.stage("source", Times(4, 1));
  made.stage("parallel", {50, 10, 10, 10}, {.slots = 2});
  made.stage("sink", Times(4, 1));
  made.edge(0, 1);
  made.edge(1, 2);
  const Replayed run = replayed(made);
  EXPECT_THAT(begins(run, 1), ElementsAre(2, 12, 22, 1));    // in order of their ends
  EXPECT_THAT(begins(run, 2), ElementsAre(51, 52, 53, 54));  // the first firing is the last to end
}

TEST(PipelineReplay, LetsSlotsRunNoMoreThanFourTimesTheirNumberAhead) {
  HandMadeTimeline made;
  made.stage("source", Times(12, 0));
  Times service(12, 1);
  service[0] = 100;
  made.stage("parallel", service, {.slots = 2});
  made.edge(0, 1, 100);
  Times begun = begins(replayed(made), 1);
  std::ranges::sort(begun);
  EXPECT_THAT(begun, ElementsAre(0, 0, 1, 2, 3, 4, 5, 6, 100, 100, 101, 101));
}

TEST(PipelineReplay, HoldsBackInABufferUntilEnoughIsThere) {
  HandMadeTimeline made;
  made.stage("source", Times(5, 10));
  made.buffer("queue", 5, 4, 3);
  made.stage("sink", Times(5, 1));
  made.edge(0, 1);
  made.edge_from_buffer(1, 2, 1);
  // The third arrives at 30; one leaves, two stay; each later one lets another go; the end lets the rest go.
  EXPECT_THAT(begins(replayed(made), 2), ElementsAre(30, 40, 50, 51, 52));
}

TEST(PipelineReplay, StopsABuffersProducerWhenItIsFull) {
  HandMadeTimeline made;
  made.stage("source", Times(6, 10));
  made.buffer("queue", 6, 2, 1);
  made.stage("sink", Times(6, 100));
  made.edge(0, 1, 1);
  made.edge_from_buffer(1, 2, 1);
  // One is taken, one waits on the last edge, two in the buffer, one before it.
  EXPECT_THAT(begins(replayed(made), 0), ElementsAre(0, 10, 20, 30, 40, 110));
}

TEST(PipelineReplay, GivesEachBranchItsItemsAndPairsThem) {
  HandMadeTimeline made;
  made.stage("source", Times(3, 10));
  made.stage("short", Times(3, 5));
  made.stage("long", Times(3, 25));
  made.stage("join", Times(3, 1));
  made.edge(0, 1);
  made.edge(0, 2);
  made.edge(1, 3);
  made.edge(2, 3);
  const Replayed run = replayed(made);
  EXPECT_THAT(begins(run, 1), ElementsAre(10, 20, 30));
  EXPECT_THAT(begins(run, 2), ElementsAre(10, 35, 60));
  EXPECT_THAT(begins(run, 3), ElementsAre(35, 60, 85));
}

TEST(PipelineReplay, RunsTheHostAheadOfTheDeviceByTwoFirings) {
  HandMadeTimeline made;
  made.stage("source", Times(5, 1));
  made.stage("net", Times(5, 2), {.lane = "sim:0 net", .device = "sim:0"}, Times(5, 100));
  made.stage("sink", Times(5, 1));
  made.edge(0, 1, 1);
  made.edge(1, 2);
  const Replayed run = replayed(made);
  EXPECT_THAT(begins(run, 1), ElementsAre(1, 102, 203, 304, 405));  // the device gives the only place back
  made.timeline.edges[0].capacity_items = 8;
  const Replayed wide = replayed(made);
  EXPECT_THAT(begins(wide, 1), ElementsAre(1, 3, 101, 201, 301));
  EXPECT_THAT(begins(wide, 2), ElementsAre(101, 201, 301, 401, 501));
}

TEST(PipelineReplay, OrdersDeviceWorkBehindWhatMakesItsInputs) {
  HandMadeTimeline made;
  made.stage("first", Times(2, 1), {.lane = "a", .device = "sim:0"}, Times(2, 50));
  made.stage("second", Times(2, 1), {.lane = "b", .device = "sim:0"}, Times(2, 30));
  made.edge(0, 1);
  const Replayed run = replayed(made);
  EXPECT_THAT(begins(run, 1), ElementsAre(1, 2));  // launched while the first is at work
  ASSERT_THAT(run.timeline.stages[1].device_firings, SizeIs(2));
  EXPECT_EQ(run.timeline.stages[1].device_firings[0].begin, 50);
  EXPECT_EQ(run.timeline.stages[1].device_firings[1].begin, 100);
  EXPECT_EQ(run.timeline.wall_ns, 130);
}

TEST(PipelineReplay, LetsAStageOnItsProducersLaneWaitInItsFiring) {
  HandMadeTimeline made;
  made.stage("net", {5}, {.lane = "lane of net", .device = "sim:0"}, {50});
  made.stage("inline", {48}, {.lane = "lane of net"});
  made.edge(0, 1);
  made.timeline.stages[1].firings[0] = {.number = 1, .free = 0, .ready = 5, .begin = 5, .end = 53};
  made.lane("lane of net").workers = 1;
  const PipelineModel model = model_of(made.timeline);
  EXPECT_TRUE(model.stages[1].waits_in_firing);
  EXPECT_EQ(model.stages[1].firings[0].host_ns, 3);
  EXPECT_EQ(replay(model).timeline.wall_ns, 53);
}

TEST(PipelineReplay, LetsStagesTakeTurnsOnOneWorker) {
  HandMadeTimeline made = chain_of({Times(3, 10), Times(3, 10)}, 8);
  made.lane("cpu").workers = 1;
  const Replayed run = replayed(made);
  EXPECT_THAT(begins(run, 0), ElementsAre(0, 20, 40));
  EXPECT_THAT(begins(run, 1), ElementsAre(10, 30, 50));
}

TEST(PipelineReplay, KeepsItemsOfAFeedbackEdgeGoingRound) {
  HandMadeTimeline made;
  made.stage("source", Times(4, 1));
  made.stage("ahead", Times(4, 10));
  made.stage("behind", Times(4, 20));
  made.edge(0, 1);
  made.edge(1, 2);
  made.edge(2, 1, {.capacity = 4, .initial = 1});
  const Replayed run = replayed(made);
  EXPECT_THAT(begins(run, 1), ElementsAre(1, 31, 61, 91));  // one item: each waits for the other
  EXPECT_TRUE(run.has_finished);
}

TEST(PipelineReplay, DropsWhatFindsNoRoomWhereAnEdgeDoesNotBlock) {
  HandMadeTimeline made;
  made.stage("source", Times(8, 10));
  made.stage("watcher", Times(8, 35));
  made.edge(0, 1, {.capacity = 1, .blocks = false});
  const Replayed run = replayed(made);
  EXPECT_THAT(begins(run, 0), ElementsAre(0, 10, 20, 30, 40, 50, 60, 70));
  EXPECT_THAT(begins(run, 1), ElementsAre(10, 45, 80, 115));
  EXPECT_EQ(run.record.edges[0].drops, 4);
}

TEST(PipelineReplay, EndsWithTheLastStepAndLetsWhatLiesBehindGoOn) {
  HandMadeTimeline made;
  made.stage("source", Times(9, 5));
  made.stage("step", Times(4, 20));
  made.stage("after", Times(4, 30));
  made.edge(0, 1);
  made.edge(1, 2);
  made.steps(1, 3);
  made.timeline.stages[1].firings.pop_back();
  made.timeline.edges[0].items.resize(3);
  const PipelineModel model = model_of(made.timeline);
  EXPECT_EQ(model.step_stage, 1U);
  EXPECT_EQ(model.last_step, 3);
  const Replayed run = replay(model);
  EXPECT_THAT(run.timeline.steps, SizeIs(3));
  EXPECT_TRUE(run.timeline.stages[1].makes_steps);
  EXPECT_THAT(begins(run, 2), ElementsAre(25, 55, 85));
  EXPECT_EQ(run.timeline.wall_ns, 115);
  EXPECT_TRUE(run.has_finished);
  EXPECT_EQ(run.record.steps, 3);
}

TEST(PipelineReplay, SaysWhenARunStandsStill) {
  HandMadeTimeline made;
  made.stage("a", Times(3, 1));
  made.stage("b", Times(3, 1));
  made.edge(0, 1);
  made.edge(1, 0, 1);  // nothing is inside, so both wait
  EXPECT_FALSE(replayed(made).has_finished);
}

TEST(PipelineReplay, EndsWhereACircleTakesNoTime) {
  HandMadeTimeline made;
  made.stage("a", Times(3, 0));
  made.stage("b", Times(3, 0));
  made.edge(0, 1);
  made.edge(1, 0, {.capacity = 4, .initial = 1});
  EXPECT_FALSE(replayed(made).has_finished);
}

TEST(PipelineReplay, AccountsAsTheEngineDoes) {
  const Replayed run = replayed(chain_of({Times(40, 10), Times(40, 30), Times(40, 5)}, 2));
  for (const StageRecord& stage : run.record.stages) {
    EXPECT_EQ(stage.busy_ns + stage.starved_in_ns + stage.blocked_out_ns + stage.gpu_wait_ns + stage.dispatch_ns +
                  stage.ended_ns,
              run.record.wall_ns);
  }
  EXPECT_GT(run.record.stages[0].blocked_out_ns, 700);
  EXPECT_GT(run.record.stages[2].starved_in_ns, 900);
  EXPECT_EQ(judge(run.record).stage, "s1");
  EXPECT_EQ(judge(run.record).kind, VerdictKind::kCpuBody);
}

TEST(PipelineReplay, BeginsWhereAllLogsGoOn) {
  // The same run, once whole and once without what was logged before 200.
  HandMadeTimeline made = chain_of({Times(30, 10), Times(30, 20), Times(30, 15)}, 3);
  const Timeline whole = replayed(made).timeline;
  Timeline cut = whole;
  for (StageTimeline& stage : cut.stages) {
    stage.lost = std::erase_if(stage.firings, [](const FiringEvent& firing) { return firing.end < 200; });
    stage.whole_since = stage.firings.front().end;
  }
  for (EdgeTimeline& edge : cut.edges) {
    edge.lost = std::erase_if(edge.items, [](const ItemEvent& item) { return item.popped < 200; });
  }
  const PipelineModel model = model_of(cut);
  EXPECT_GE(model.begins_at_ns, 200);
  const Replayed run = replay(model);
  EXPECT_TRUE(run.has_finished);
  EXPECT_EQ(run.timeline.wall_ns, whole.wall_ns - model.begins_at_ns);
}

}  // namespace
}  // namespace dflash
