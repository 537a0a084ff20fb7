// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/pipeline_model.h"

#include <gmock/gmock.h>

#include "tests/framework/analysis/hand_made_timeline.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(PipelineModel, TakesEachFiringsTimeAndItems) {
  HandMadeTimeline made;
  made.stage("a", {10, 12});
  made.stage("b", {1, 2, 3, 4});
  made.edge(0, 1, {.capacity = 5, .items_a_firing = 2, .bytes = 100});
  const PipelineModel model = model_of(made.timeline);
  ASSERT_THAT(model.stages[0].firings, SizeIs(2));
  EXPECT_EQ(model.stages[0].firings[1].host_ns, 12);
  EXPECT_THAT(model.stages[0].firings[1].emitted, ElementsAre(2));
  EXPECT_TRUE(model.stages[1].firings[3].has_inputs);
  EXPECT_EQ(model.edges[0].capacity_items, 5);
  EXPECT_EQ(model.edges[0].largest_bytes, 100);
  EXPECT_EQ(model.edges[0].items, 4);
}

TEST(PipelineModel, TellsBodiesFromWhatIsDoneBetweenSteps) {
  HandMadeTimeline made;
  made.stage("step", {10, 12, 14});
  made.steps(0, 3);
  made.between_steps(0, 2, 100);
  const auto works = [&] { return model_of(made.timeline).stages[0].firings; };
  EXPECT_EQ(works()[1].host_ns, 12);
  EXPECT_EQ(works()[1].between_ns, 100);
  EXPECT_EQ(works()[1].step, 2);
  EXPECT_EQ(works()[2].host_ns, 14);
  EXPECT_EQ(works()[2].between_ns, 0);
  made.timeline.steps_lost = 1;
  made.timeline.stages.push_back({.name = "other", .lost = 1, .whole_since = 15});
  EXPECT_EQ(works().front().host_ns, 7);  // begins within the body
  EXPECT_EQ(works().front().between_ns, 100);
  made.timeline.stages[1].whole_since = 52;  // and within the evaluation
  EXPECT_EQ(works().front().host_ns, 0);
  EXPECT_EQ(works().front().between_ns, 70);
}

TEST(PipelineModel, KnowsPutsFromPops) {
  HandMadeTimeline made;
  made.stage("source", {1, 1, 1});
  made.buffer("queue", 3, 4, 2);
  made.edge(0, 1);
  const PipelineModel model = model_of(made.timeline);
  EXPECT_THAT(model.stages[1].firings, SizeIs(3));
  EXPECT_THAT(model.stages[1].pops, SizeIs(3));
  ASSERT_NE(model.buffer_of(1), nullptr);
  EXPECT_EQ(model.buffer_of(1)->min_ready, 2);
  EXPECT_EQ(model.buffer_of(0), nullptr);
}

TEST(PipelineModel, EndsByStreamsWhereTheStepStageHasDrained) {
  HandMadeTimeline made;
  made.stage("source", {5, 5, 5});
  made.stage("step", {20, 20, 20});
  made.stage("after", {1, 1, 1});
  made.edge(0, 1);
  made.edge(1, 2);
  made.steps(1, 2);
  EXPECT_EQ(model_of(made.timeline).last_step, 2);
  EXPECT_FALSE(model_of(made.timeline).stages[0].ends);
  EXPECT_TRUE(model_of(made.timeline).stages[2].is_after_steps);
  made.timeline.stages[1].firings.push_back({.number = 0, .begin = 60, .end = 61});
  EXPECT_EQ(model_of(made.timeline).last_step, 0);
  EXPECT_EQ(model_of(made.timeline).stages[1].drain.host_ns, 1);
  EXPECT_TRUE(model_of(made.timeline).stages[0].ends);
}

TEST(PipelineModel, SaysWhichLanesAreShortOfWorkers) {
  HandMadeTimeline made;
  made.stage("a", {1});
  made.stage("b", {1});
  EXPECT_EQ(model_of(made.timeline).scarce_workers("cpu"), 0);
  made.lane("cpu").workers = 1;
  EXPECT_EQ(model_of(made.timeline).scarce_workers("cpu"), 1);
  EXPECT_EQ(model_of(made.timeline).scarce_workers("other"), 0);
}

TEST(PipelineModel, BeginsALossyRunWithWhatIsUnderWayAndInside) {
  Timeline timeline;
  timeline.wall_ns = 200;
  timeline.stages.resize(2);
  timeline.stages[0] = {.name = "a", .lane = "a", .lost = 3, .whole_since = 100};
  timeline.stages[0].firings = {{.number = 4, .begin = 70, .end = 100}, {.number = 5, .begin = 100, .end = 130}};
  timeline.stages[1] = {.name = "b", .lane = "b"};
  timeline.stages[1].firings = {{.number = 1, .begin = 60, .end = 160}, {.number = 2, .begin = 160, .end = 180}};
  timeline.edges.push_back({.name = "a.out->b.in", .from_stage = 0, .to_stage = 1, .capacity_items = 4});
  timeline.edges[0].items = {{.seq = 0, .from_firing = 2, .to_firing = 1, .pushed = 50, .popped = 60},
                             {.seq = 1, .from_firing = 3, .to_firing = 2, .pushed = 70, .popped = 160},
                             {.seq = 2, .from_firing = 4, .to_firing = 3, .pushed = 100, .popped = 180},
                             {.seq = 3, .from_firing = 5, .to_firing = 4, .pushed = 130, .popped = 190}};
  const PipelineModel model = model_of(timeline);
  EXPECT_EQ(model.begins_at_ns, 100);
  EXPECT_EQ(model.wall_ns, 100);
  EXPECT_THAT(model.edges[0].inside, ElementsAre(kNoFiring));
  ASSERT_THAT(model.stages[0].firings, SizeIs(2));
  EXPECT_EQ(model.stages[0].firings[0].host_ns, 0);  // ended just then, and its item leaves
  EXPECT_THAT(model.stages[0].firings[0].emitted, ElementsAre(1));
  EXPECT_EQ(model.stages[1].firings[0].host_ns, 60);  // what was left of it
  EXPECT_FALSE(model.stages[1].firings[0].has_inputs);
  EXPECT_TRUE(model.stages[1].firings[1].has_inputs);
}

TEST(PipelineModel, TakesInitialItemsForInsideFromTheBeginning) {
  HandMadeTimeline made;
  made.stage("a", {1, 1});
  made.stage("b", {1, 1});
  made.edge(0, 1);
  made.edge(1, 0, {.capacity = 4, .initial = 2});
  const PipelineModel model = model_of(made.timeline);
  EXPECT_THAT(model.edges[0].inside, IsEmpty());
  EXPECT_THAT(model.edges[1].inside, SizeIs(2));
  EXPECT_TRUE(model.edges[1].is_feedback);
}

}  // namespace
}  // namespace dflash
