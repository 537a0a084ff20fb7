// SPDX-License-Identifier: Apache-2.0
#include "framework/report/step_breakdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

/// Two steps: 0 to 100, 100 to 200. The target works across their border, the drafter in two named parts.
Timeline two_steps() {
  Timeline timeline{.wall_ns = 250};
  timeline.stages.push_back({.name = "target", .firings = {{.number = 1, .begin = 60, .end = 130}}});
  timeline.stages.push_back(
      {.name = "drafter",
       .firings = {{.number = 1, .begin = 10, .end = 100}, {.number = 2, .begin = 110, .end = 200}},
       .span_names = {"forward", "backward", "inner"},
       .spans = {{.number = 1, .name = 0, .begin = 10, .end = 40},
                 {.number = 1, .name = 2, .begin = 50, .end = 60},
                 {.number = 1, .name = 1, .begin = 40, .end = 90},
                 {.number = 2, .name = 0, .begin = 110, .end = 150}}});
  timeline.steps = {{.step = 7, .at = 100}, {.step = 8, .at = 200}};
  return timeline;
}

TEST(StepBreakdown, GivesEachStepWhatFellIntoIt) {
  const StepBreakdown breakdown = step_breakdown(two_steps(), 10);
  EXPECT_THAT(breakdown.first_step, ElementsAre(7, 8));
  EXPECT_THAT(breakdown.last_step, ElementsAre(7, 8));
  EXPECT_THAT(breakdown.wall_ns, ElementsAre(100, 100));
  ASSERT_EQ(breakdown.parts.size(), 4);
  EXPECT_THAT(breakdown.parts[0].ns, ElementsAre(40, 30));
  EXPECT_EQ(breakdown.parts[0].span, "");
  EXPECT_THAT(breakdown.parts[1].ns, ElementsAre(30, 40)) << "forward";
  EXPECT_THAT(breakdown.parts[2].ns, ElementsAre(50, 0)) << "backward";
  EXPECT_THAT(breakdown.parts[3].ns, ElementsAre(10, 50)) << "what is in no part; 'inner' lies inside of backward";
  EXPECT_FALSE(breakdown.parts[1].on_device);
}

TEST(StepBreakdown, TellsManyStepsInGroupsByTheirMean) {
  const StepBreakdown breakdown = step_breakdown(two_steps(), 1);
  EXPECT_THAT(breakdown.first_step, ElementsAre(7));
  EXPECT_THAT(breakdown.last_step, ElementsAre(8));
  EXPECT_THAT(breakdown.wall_ns, ElementsAre(100));
  EXPECT_THAT(breakdown.parts[0].ns, ElementsAre(35));
}

TEST(StepBreakdown, TakesTheDevicesTimeWhereThereIsOne) {
  Timeline timeline = two_steps();
  timeline.stages[1].device_firings = {{.number = 1, .begin = 100, .end = 180}};
  timeline.stages[1].device_spans = {{.number = 1, .name = 1, .begin = 110, .end = 150}};
  const StepBreakdown breakdown = step_breakdown(timeline, 10);
  ASSERT_EQ(breakdown.parts.size(), 3);
  EXPECT_TRUE(breakdown.parts[1].on_device);
  EXPECT_THAT(breakdown.parts[1].ns, ElementsAre(0, 40)) << "backward";
  EXPECT_THAT(breakdown.parts[2].ns, ElementsAre(0, 40)) << "the rest";
}

TEST(StepBreakdown, LeavesOutStepsWhoseBeginningIsNotKept) {
  Timeline timeline = two_steps();
  timeline.stages[1].lost = 1;
  timeline.stages[1].firings.erase(timeline.stages[1].firings.begin());
  timeline.stages[1].whole_since = timeline.stages[1].firings.front().end;
  timeline.stages[1].spans = {timeline.stages[1].spans.back()};
  timeline.stages[0].firings.push_back({.number = 2, .begin = 210, .end = 220});
  timeline.steps.push_back({.step = 9, .at = 240});
  const StepBreakdown breakdown = step_breakdown(timeline, 10);
  EXPECT_THAT(breakdown.first_step, ElementsAre(9));
  EXPECT_THAT(breakdown.wall_ns, ElementsAre(40));
}

TEST(StepBreakdown, IsEmptyWithoutSteps) {
  Timeline timeline = two_steps();
  timeline.steps.clear();
  EXPECT_THAT(step_breakdown(timeline, 10).parts, IsEmpty());
  EXPECT_THAT(step_breakdown(Timeline{}, 10).first_step, IsEmpty());
}

TEST(OuterSpans, AreThoseInNoOtherOfTheirFiring) {
  const std::vector<SpanEvent> spans{{.number = 1, .name = 1, .begin = 12, .end = 20},
                                     {.number = 1, .name = 0, .begin = 10, .end = 30},
                                     {.number = 2, .name = 1, .begin = 15, .end = 18},
                                     {.number = 1, .name = 2, .begin = 30, .end = 40}};
  EXPECT_THAT(outer_spans(spans),
              ElementsAre(Field(&SpanEvent::name, 0), Field(&SpanEvent::name, 2), Field(&SpanEvent::number, 2)));
}

}  // namespace
}  // namespace dflash
