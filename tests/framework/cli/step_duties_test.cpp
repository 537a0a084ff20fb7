// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/step_duties.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/adding_run.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class StepDutiesTest : public ::testing::Test {
 protected:
  StepDutiesTest() { directory_.create(); }
  StepDuties duties(std::int64_t resumed_step = 0) {
    return {adding_.plan, directory_, log_, [this](const std::string& line) { said_.push_back(line); }, resumed_step};
  }
  static void save(const std::filesystem::path& folder) { write_durably(folder / "cut", "x"); }

  TemporaryFolder folder_;
  RunDirectory directory_{folder_.path() / "run", RunDirectory::Existing::kRefuse};
  AddingRun adding_;
  RunLog log_;
  std::vector<std::string> said_;
};

TEST_F(StepDutiesTest, LeaveTheLastStepToTheEnd) {
  adding_.plan.checkpoint_every = 10;
  adding_.hooks.evaluate_every = 10;
  duties().between(10, save);
  EXPECT_THAT(adding_.hooks.calls, IsEmpty());
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(StepDutiesTest, SayAtWhichStepsTheyHaveSomethingToDo) {
  adding_.plan.checkpoint_every = 4;
  adding_.hooks.evaluate_every = 3;
  const StepDuties duties = this->duties();
  EXPECT_FALSE(duties.are_due(2));
  EXPECT_TRUE(duties.are_due(3));
  EXPECT_TRUE(duties.are_due(4));
  adding_.plan.evaluate = false;
  EXPECT_FALSE(duties.are_due(3));
  EXPECT_FALSE(duties.are_due(adding_.plan.steps)) << "the last step's are done when the run has drained";
}

TEST_F(StepDutiesTest, WriteNoSecondCheckpointOfTheSameStep) {
  adding_.plan.checkpoint_every = 5;
  StepDuties duties = this->duties();
  duties.between(5, save);
  duties.drained(5, save);
  EXPECT_THAT(said_, ElementsAre("checkpoint of step 5 written"));
}

TEST_F(StepDutiesTest, WriteNoCheckpointWhereAResumedRunMadeNoStep) {
  duties(8).drained(8, save);
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(StepDutiesTest, ScoreEveryCheckpointByTheSameKindOfEvaluation) {
  adding_.plan.checkpoint_every = 5;
  adding_.plan.checkpoint_policy.keep_best = 1;
  adding_.hooks.evaluate_every = 5;
  duties().between(5, save);
  EXPECT_THAT(adding_.hooks.calls, ElementsAre("evaluate 5 step", "evaluate 5 checkpoint"));
  EXPECT_THAT(said_, ElementsAre("checkpoint of step 5 written (score 5.5)"));
}

TEST_F(StepDutiesTest, WriteTheCheckpointThatIsDueEvenWhereItsScoreFails) {
  adding_.plan.checkpoint_every = 5;
  adding_.plan.checkpoint_policy.keep_best = 1;
  adding_.hooks.at_evaluate = [](const std::string&) { throw UserError("no prompts"); };
  EXPECT_THAT([&] { duties().between(5, save); }, ThrowsMessage<UserError>(HasSubstr("no prompts")));
  EXPECT_THAT([&] { duties().drained(7, save); }, ThrowsMessage<UserError>(HasSubstr("no prompts")));
  EXPECT_THAT(said_, ElementsAre("checkpoint of step 5 written", "checkpoint of step 7 written"));
}

TEST_F(StepDutiesTest, LeaveACheckpointWithoutAScoreWhereTheUserDoesNotWaitForIt) {
  adding_.plan.checkpoint_every = 5;
  adding_.plan.checkpoint_policy.keep_best = 1;
  adding_.hooks.at_evaluate = [](const std::string&) { throw Interrupted("the user is in a hurry"); };
  duties().between(5, save);
  EXPECT_THAT(said_, ElementsAre("checkpoint of step 5 written"));
}

TEST_F(StepDutiesTest, SaveWhatWasTrainedBeforeAFailedEvaluationEndsTheRun) {
  adding_.plan.checkpoint_every = 10;
  adding_.hooks.evaluate_every = 3;
  adding_.hooks.at_evaluate = [](const std::string&) { throw UserError("no prompts"); };
  EXPECT_THAT([&] { duties().between(3, save); }, ThrowsMessage<UserError>(HasSubstr("no prompts")));
  EXPECT_THAT(said_, ElementsAre("checkpoint of step 3 written"));
}

TEST_F(StepDutiesTest, CarrySummariesOverToAResumedRun) {
  log_.set_summary("training", {{"tau_before", 1.0}});
  adding_.plan.checkpoint_every = 5;
  duties().between(5, save);
  RunLog resumed;
  restore_summaries({.folder = directory_.checkpoints() / "step-000005", .step = 5}, resumed);
  EXPECT_EQ(resumed.summaries()["training"]["tau_before"], 1.0);
}

TEST_F(StepDutiesTest, RefuseSummariesOfAnotherForm) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  for (const std::string& text : {std::string{"["}, std::string{"[]"}, std::string{R"({"training": 3})"},
                                  std::string{R"({"training": null})"}, "{\"training\": {\"a\": " + deep + "}}"}) {
    write_durably(folder_.path() / "summaries.json", text);
    EXPECT_THAT([&] { restore_summaries({.folder = folder_.path(), .step = 5}, log_); },
                ThrowsMessage<UserError>(HasSubstr("summaries.json' is damaged: ")))
        << text.substr(0, 40);
  }
}

TEST_F(StepDutiesTest, LetAFullDiskEndTheRunWithItsReason) {
  write_durably(directory_.checkpoints(), "a file in the way");
  EXPECT_THAT([&] { duties().drained(5, save); }, ThrowsMessage<UserError>(HasSubstr("step 5 could not be written")));
}

}  // namespace
}  // namespace dflash
