// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/resume_point.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/any_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

Json graph() {
  return Json::parse(R"({
    "stages": {"pack": {"type": "block_packer", "params": {"num_anchors": 128}, "inject": {"throw_at": 7}},
               "steps": {"type": "block_packer"}},
    "edges": ["a.out -> b.in"],
    "run": {"steps": 800, "seed": 42, "checkpoint": {"every": 200}, "evaluate": {"prompts": 64}}})");
}

TEST(KeysThatForbidResume, AreNoneForTheSameGraph) {
  EXPECT_THAT(keys_that_forbid_resume(graph(), graph()), IsEmpty());
}

TEST(KeysThatForbidResume, LeaveStepsEvaluationCheckpointsAndInjectFree) {
  Json now = graph();
  now["run"]["steps"] = 900;
  now["run"]["checkpoint"]["every"] = 100;
  now["run"].erase("evaluate");
  now["stages"]["pack"].erase("inject");
  now["stages"]["steps"]["inject"]["sleep_ms"] = 3;
  EXPECT_THAT(keys_that_forbid_resume(graph(), now), IsEmpty());
}

TEST(KeysThatForbidResume, NameEachChangedAddedAndRemovedKey) {
  Json now = graph();
  now["run"]["seed"] = 43;
  now["stages"]["pack"]["params"]["num_anchors"] = 64;
  now["stages"]["pack"]["params"]["mask"] = "dense";
  now["edges"].push_back("c.out -> d.in");
  now["stages"].erase("steps");
  EXPECT_THAT(keys_that_forbid_resume(graph(), now), ElementsAre("edges", "run.seed", "stages.pack.params.mask",
                                                                 "stages.pack.params.num_anchors", "stages.steps"));
}

class ResumePointTest : public ::testing::Test {
 protected:
  void write_run_without_checkpoint(int outcome) {
    fs::create_directories(path_);
    write_durably(path_ / "resolved.json", Json{{"graph", graph()}}.dump());
    write_durably(path_ / "report.json", Json{{"outcome", {{"code", outcome}}}}.dump());
  }
  void write_run(int outcome, std::int64_t step) {
    write_run_without_checkpoint(outcome);
    CheckpointStore{path_ / "checkpoints"}.write(step, {},
                                                 [](const fs::path& folder) { write_durably(folder / "cut", "x"); });
  }
  ResumePoint find(std::int64_t steps, bool drives_steps = true) const {
    return find_resume_point(RunDirectory{path_, RunDirectory::Existing::kResume}, graph(),
                             {.steps = steps, .drives_steps = drives_steps});
  }
  TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "run";
};

TEST_F(ResumePointTest, IsTheNewestCheckpointOfAnInterruptedRun) {
  write_run(130, 200);
  const ResumePoint point = find(800);
  EXPECT_FALSE(point.finished);
  EXPECT_EQ(point.checkpoint->step, 200);
  EXPECT_THAT(point.notes, ElementsAre(HasSubstr("resuming from step 200")));
}

TEST_F(ResumePointTest, NamesBothValuesOfWhatMayNotDiffer) {
  write_run(130, 200);
  Json now = graph();
  now["run"]["seed"] = 43;
  now["stages"]["pack"]["params"]["mask"] = "dense";
  EXPECT_THAT(
      [&] {
        (void)find_resume_point(RunDirectory{path_, RunDirectory::Existing::kResume}, now,
                                {.steps = 800, .drives_steps = true});
      },
      ThrowsMessage<UserError>(
          AllOf(HasSubstr("run.seed (then 42, now 43)"), HasSubstr(R"(mask (then null, now "dense"))"))));
}

TEST_F(ResumePointTest, SaysThatAFinishedRunIsFinished) {
  write_run(0, 800);
  const ResumePoint point = find(800);
  EXPECT_TRUE(point.finished);
  EXPECT_THAT(point.notes, ElementsAre(HasSubstr("is finished (step 800)")));
}

TEST_F(ResumePointTest, GoesOnWithAFinishedRunThatShallHaveMoreSteps) {
  write_run(0, 800);
  EXPECT_FALSE(find(900).finished);
}

TEST_F(ResumePointTest, TakesARunWhoseSourcesEndedAsFinished) {
  write_run(0, 321);
  EXPECT_TRUE(find(0).finished);
}

TEST_F(ResumePointTest, SaysThatARunWithoutCheckpointsIsFinished) {
  write_run_without_checkpoint(0);
  const ResumePoint point = find(0, /*drives_steps=*/false);
  EXPECT_TRUE(point.finished);
  EXPECT_THAT(point.notes, ElementsAre(HasSubstr("is finished: nothing to do")));
  EXPECT_TRUE(find(800).finished) << "the checkpoints may have been removed since";
  EXPECT_FALSE(find(900).finished);
}

TEST_F(ResumePointTest, RefusesAnUnfinishedRunThatCanHaveNoCheckpoint) {
  write_run_without_checkpoint(130);
  EXPECT_THAT([&] { (void)find(0, /*drives_steps=*/false); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("did not come to its end"), HasSubstr("--force"))));
  EXPECT_THAT(find(800).notes, ElementsAre(HasSubstr("starting afresh")));
}

TEST_F(ResumePointTest, StartsAfreshWhereNothingIs) {
  const ResumePoint point = find(800);
  EXPECT_EQ(point.checkpoint, std::nullopt);
  EXPECT_THAT(point.notes, ElementsAre(HasSubstr("starting afresh")));
}

TEST_F(ResumePointTest, NamesADamagedCheckpointAndTakesTheOneBefore) {
  write_run(1, 100);
  write_run(1, 200);
  fs::remove(path_ / "checkpoints" / "step-000200" / "cut");
  const ResumePoint point = find(800);
  EXPECT_EQ(point.checkpoint->step, 100);
  ASSERT_THAT(point.notes, SizeIs(2));
  EXPECT_THAT(point.notes[0], AllOf(HasSubstr("step-000200"), HasSubstr("'cut' is missing")));
}

TEST_F(ResumePointTest, DoesNotStartAfreshOverCheckpointsThatAreAllDamaged) {
  write_run(1, 200);
  fs::remove(path_ / "checkpoints" / "step-000200" / "cut");
  EXPECT_THAT([&] { (void)find(800); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("none of its 1 checkpoints is sound"),
                                             HasSubstr("'cut' is missing"), HasSubstr("--force"))));
}

TEST_F(ResumePointTest, KnowsWhereOnlyTheEndIsLeft) {
  write_run(130, 800);
  EXPECT_TRUE(find(800).only_the_end_is_left);
  EXPECT_FALSE(find(900).only_the_end_is_left);
  EXPECT_FALSE(find(0).only_the_end_is_left) << "the sources may have more";
}

TEST_F(ResumePointTest, RefusesAnotherGraphAndNamesTheKeys) {
  write_run(130, 200);
  Json other = graph();
  other["run"]["seed"] = 7;
  EXPECT_THAT(
      [&] { (void)find_resume_point(RunDirectory{path_, RunDirectory::Existing::kResume}, other, {.steps = 800}); },
      ThrowsMessage<UserError>(AllOf(HasSubstr("differs from this one in run.seed"), HasSubstr("allowed to differ"))));
}

TEST_F(ResumePointTest, SaysThatAPluginIsAnotherBuild) {
  write_run(130, 200);
  const Json plugins{{"p.so", {{"hash", "12"}, {"types", {"block_packer"}}}}};
  write_durably(path_ / "resolved.json", Json{{"graph", graph()}, {"plugins", plugins}}.dump());
  const auto resumed_with = [&](const Json& now) {
    return find_resume_point(RunDirectory{path_, RunDirectory::Existing::kResume}, graph(),
                             {.steps = 800, .plugins = now})
        .notes;
  };
  EXPECT_THAT(resumed_with(plugins), ElementsAre(HasSubstr("resuming from step 200")));
  EXPECT_THAT(resumed_with({{"p.so", {{"hash", "34"}, {"types", {"block_packer"}}}}}),
              ElementsAre(HasSubstr("resuming from step 200"),
                          HasSubstr("'block_packer' comes from plugin 'p.so' (34), and came from plugin 'p.so' (12)")));
}

TEST_F(ResumePointTest, RefusesADamagedResolvedGraph) {
  write_run(130, 200);
  write_durably(path_ / "resolved.json", "{ half");
  EXPECT_THAT([&] { (void)find(800); }, ThrowsMessage<UserError>(HasSubstr("is damaged")));
}

TEST_F(ResumePointTest, RefusesAResolvedGraphOfAnotherForm) {
  write_run(130, 200);
  write_durably(path_ / "resolved.json", R"({"graph": [1]})");
  EXPECT_THAT([&] { (void)find(800); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("resolved.json"), HasSubstr("is damaged"))));
}

TEST_F(ResumePointTest, DoesNotTakeARunAsFinishedThatDoesNotSaySo) {
  write_run(0, 800);
  for (const char* report : {"[]", R"({"outcome": [0]})", R"({"outcome": {"code": "0"}})", R"({"outcome": 0})"}) {
    write_durably(path_ / "report.json", report);
    EXPECT_FALSE(find(800).finished) << report;
  }
}

// Whatever was done to a run's own files, it goes on or is refused by name.
TEST_F(ResumePointTest, ReadsOrRefusesAnyChangeOfTheRunsFiles) {
  write_run(0, 800);
  EXPECT_TRUE(rc::check([&] {
    std::ofstream{path_ / "resolved.json"}
        << mutated(Json{{"graph", graph()}, {"plugins", {{"p.so", {{"hash", "12"}, {"types", {"block_packer"}}}}}}});
    std::ofstream{path_ / "report.json"} << mutated(Json{{"outcome", {{"code", 0}}}});
    try {
      (void)find(800);
    } catch (const UserError& error) {
      RC_ASSERT(std::string_view{error.what()}.find(path_.string()) != std::string_view::npos);
    }
  }));
}

TEST_F(ResumePointTest, RefusesDeepNesting) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  write_run(0, 800);
  write_durably(path_ / "report.json", "{\"outcome\": {\"code\": " + deep + "}}");
  EXPECT_FALSE(find(800).finished);
  write_durably(path_ / "resolved.json", "{\"graph\": {\"edges\": " + deep + "}}");
  EXPECT_THAT([&] { (void)find(800); }, ThrowsMessage<UserError>(HasSubstr("is damaged")));
}

}  // namespace
}  // namespace dflash
