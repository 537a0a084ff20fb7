// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/log_window.h"

#include <gmock/gmock.h>

#include "tests/framework/analysis/hand_made_timeline.h"

namespace dflash {
namespace {

TEST(LogWindow, FindsTheStageThatMakesTheSteps) {
  HandMadeTimeline made;
  made.stage("source", {4, 50, 40});  // some firing is under way at each step
  made.stage("step", {20, 20, 20});
  made.stage("after", {30, 30, 30});
  EXPECT_EQ(step_stage_of(made.timeline), std::nullopt);
  made.timeline.steps = {{.step = 1, .at = 38}, {.step = 2, .at = 58}};
  EXPECT_EQ(step_stage_of(made.timeline), 1U);
}

// What is due between steps is done after the step, so it tells nothing of who has made it.
TEST(LogWindow, FindsTheStageThatMakesTheStepsWhereEachIsEvaluated) {
  HandMadeTimeline made;
  made.stage("source", {50, 50, 50, 50});
  made.stage("step", {20, 20});
  made.steps(1, 2);
  made.between_steps(1, 1, 70);
  made.between_steps(1, 2, 70);
  EXPECT_EQ(step_stage_of(made.timeline), 1U);
}

TEST(LogWindow, TakesTheMedianOfWhatTheEngineTakes) {
  StageTimeline stage;
  for (std::int64_t i = 0; i < 9; ++i) {
    const std::int64_t at = 100 * i;
    stage.firings.push_back({.number = 1 + 2 * i, .free = at, .ready = at, .begin = at + 2, .end = at + 10});
    stage.firings.push_back({.number = 2 + 2 * i, .free = at + 10, .ready = at + 30, .begin = at + 37, .end = at + 90});
  }
  stage.firings.back().begin += 30;  // one was late
  EXPECT_EQ(overheads_of(stage, 0).turn_ns, 2);
  EXPECT_EQ(overheads_of(stage, 0).wake_ns, 7);
  EXPECT_EQ(overheads_of(stage, 10'000).wake_ns, 0);
  EXPECT_EQ(overheads_of(stage, 800).wake_ns, 2);  // one alone, and late, says nothing
}

}  // namespace
}  // namespace dflash
