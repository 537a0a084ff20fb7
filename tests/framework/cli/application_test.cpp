// SPDX-License-Identifier: Apache-2.0
// How a run treats the hooks of its application.
#include "framework/cli/application.h"

#include <csignal>
#include <stdexcept>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/support/adding_run.h"
#include "tests/support/session_fixture.h"

namespace dflash {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using ApplicationHooksTest = SessionTest;

TEST_F(ApplicationHooksTest, KeepsWhatWasTrainedWhereTheEvaluationAtTheEndFails) {
  AddingRun adding;
  adding.plan.checkpoint_policy.keep_best = 1;
  adding.hooks.at_evaluate = [](const std::string& when) {
    if (when != "start") {
      throw std::runtime_error("cannot " + when);
    }
  };
  EXPECT_EQ(run(adding), 1);
  EXPECT_THAT(checkpoints(), ElementsAre(10));
  EXPECT_THAT(report()["errors"].dump(), HasSubstr("cannot checkpoint"));
}

TEST_F(ApplicationHooksTest, LetsTheApplicationFinishWhereTheEvaluationAtTheEndFails) {
  AddingRun adding;
  adding.hooks.at_evaluate = [](const std::string& when) {
    if (when == "end") {
      throw std::runtime_error("out of prompts");
    }
  };
  EXPECT_EQ(run(adding), 1);
  EXPECT_EQ(report()["outcome"]["text"], "out of prompts");
  EXPECT_THAT(checkpoints(), ElementsAre(10));
  EXPECT_THAT(adding.hooks.calls, Contains("finish"));
}

TEST_F(ApplicationHooksTest, MakesNoStepWhereTheEvaluationAtTheStartIsInterrupted) {
  AddingRun adding;
  adding.hooks.at_evaluate = [](const std::string&) {
    std::raise(SIGINT);
    throw Interrupted("interrupted in the evaluation");
  };
  EXPECT_EQ(run(adding), 130);
  EXPECT_EQ(report()["outcome"]["text"], "interrupted after step 0");
  EXPECT_EQ(adding.adder->sum, 0);
  EXPECT_THAT(err_, IsEmpty());
}

TEST_F(ApplicationHooksTest, KeepsWhatWasTrainedWhereTheEvaluationAtTheEndIsInterrupted) {
  AddingRun adding;
  adding.hooks.at_evaluate = [](const std::string& when) {
    if (when == "end") {
      throw Interrupted("interrupted in the evaluation");
    }
  };
  EXPECT_EQ(run(adding), 130);
  EXPECT_EQ(report()["outcome"]["text"], "all steps are done; interrupted in the evaluation");
  EXPECT_THAT(checkpoints(), ElementsAre(10));
  EXPECT_THAT(adding.hooks.calls, Not(Contains("finish")));
}

TEST_F(ApplicationHooksTest, DoesThingsInTheirOrder) {
  AddingRun adding;
  adding.hooks.evaluate_every = 5;
  run(adding);
  EXPECT_THAT(adding.hooks.calls,
              ElementsAre("resolve", "evaluate 0 start", "evaluate 5 step", "evaluate 10 end", "finish"));
  EXPECT_THAT(metrics(), ElementsAre("evaluation 0 start", "1", "2", "3", "4", "5", "evaluation 5 step", "6", "7", "8",
                                     "9", "10", "evaluation 10 end"));
}

TEST_F(ApplicationHooksTest, EvaluatesNothingWhereThatIsSwitchedOff) {
  AddingRun adding;
  adding.plan.evaluate = false;
  run(adding);
  EXPECT_THAT(adding.hooks.calls, ElementsAre("resolve", "finish"));
}

TEST_F(ApplicationHooksTest, KeepsTheBestByAnEvaluationOfItsOwn) {
  AddingRun adding;
  adding.plan.checkpoint_every = 5;
  adding.plan.checkpoint_policy = {.keep_last = 1, .keep_best = 1};
  run(adding);
  EXPECT_THAT(adding.hooks.calls, ElementsAre("resolve", "evaluate 0 start", "evaluate 5 checkpoint",
                                              "evaluate 10 checkpoint", "evaluate 10 end", "finish"));
}

}  // namespace
}  // namespace dflash
