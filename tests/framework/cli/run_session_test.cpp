// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_session.h"

#include <csignal>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/device/profiler_range.h"
#include "framework/report/timeline_json.h"
#include "tests/support/adding_run.h"
#include "tests/support/session_fixture.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using RunSessionTest = SessionTest;

TEST_F(RunSessionTest, RunsToTheLastStepAndLeavesAWholeDirectory) {
  AddingRun adding;
  EXPECT_EQ(run(adding), 0);
  EXPECT_EQ(adding.adder->sum, 55);
  EXPECT_EQ(report()["outcome"]["code"], 0);
  EXPECT_EQ(report()["training"]["sum"], 55);
  EXPECT_LT(report()["wall_s"], report()["total_s"]);
  EXPECT_THAT(read_text(path_ / "report.txt"), HasSubstr("VERDICT"));
  const Timeline timeline = read_timeline(Json::parse(read_text(path_ / "timeline.json")), "timeline.json");
  EXPECT_THAT(timeline.steps, SizeIs(10));
  EXPECT_THAT(read_text(path_ / "report.html"), HasSubstr(" - dflash-graph report</title>"));
  EXPECT_EQ(Json::parse(read_text(path_ / "trace.json"))["otherData"]["events_left_out"], 0);
  EXPECT_EQ(Json::parse(read_text(path_ / "resolved.json"))["graph"], adding.plan.resolved);
  EXPECT_EQ(report()["provenance"]["versions"]["adding-app"], "1.2.3");
  EXPECT_THAT(checkpoints(), ElementsAre(10));
}

TEST_F(RunSessionTest, WritesCheckpointsAtTheirStepsAndAtTheEnd) {
  AddingRun adding;
  adding.plan.checkpoint_every = 4;
  adding.plan.checkpoint_policy = {.keep_last = 3};
  run(adding);
  EXPECT_THAT(checkpoints(), ElementsAre(4, 8, 10));
}

TEST_F(RunSessionTest, SavesTheLastStepOfARunWhoseSourcesEnd) {
  AddingRun adding;
  adding.plan.steps = 0;
  adding.numbers->last = 7;
  EXPECT_EQ(run(adding), 0);
  EXPECT_THAT(checkpoints(), ElementsAre(7));
}

TEST_F(RunSessionTest, SaysThatItsSourcesEndedBeforeItsSteps) {
  AddingRun adding;
  adding.numbers->last = 7;
  EXPECT_EQ(run(adding), 0);
  EXPECT_THAT(out_ + err_, HasSubstr("note: the sources ended after step 7; 10 were asked for"));
}

TEST_F(RunSessionTest, RefusesToNameFiringsToAProfilerThatThisBuildCannotReach) {
  AddingRun adding;
  request_.nvtx = true;
  if (has_profiler_ranges()) {
    EXPECT_EQ(run(adding), 0);
  } else {
    EXPECT_THROW(run(adding), UserError);
    EXPECT_FALSE(fs::exists(path_));
  }
}

TEST_F(RunSessionTest, ReportsAStageThatFails) {
  AddingRun adding;
  adding.adder->at_step = [](std::int64_t step, Firing&) {
    if (step == 7) {
      throw std::runtime_error("out of paper");
    }
  };
  EXPECT_EQ(run(adding), 1);
  EXPECT_THAT(report()["errors"][0].get<std::string>(), AllOf(HasSubstr("stage 'adder'"), HasSubstr("out of paper")));
  EXPECT_THAT(err_, HasSubstr("out of paper"));
  EXPECT_THAT(adding.hooks.calls, Not(::testing::Contains("finish")));
}

TEST_F(RunSessionTest, TellsTheUsersErrorByItsCode) {
  AddingRun adding;
  adding.adder->at_step = [](std::int64_t, Firing&) { throw UserError("the data is wrong"); };
  EXPECT_EQ(run(adding), 2);
  EXPECT_EQ(report()["outcome"]["code"], 2);
}

TEST_F(RunSessionTest, MakesNoDirectoryWhereAStageDoesNotOpen) {
  AddingRun adding;
  adding.adder->at_open = [] { throw UserError("no such model"); };
  EXPECT_THROW(run(adding), StageError);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(RunSessionTest, ReportsAnErrorAfterTheLastStep) {
  AddingRun adding;
  adding.hooks.at_finish = [] { throw UserError("the export cannot be written"); };
  EXPECT_EQ(run(adding), 2);
  EXPECT_EQ(report()["errors"][0], "the export cannot be written");
  EXPECT_THAT(checkpoints(), ElementsAre(10));
}

TEST_F(RunSessionTest, StopsInGoodOrderAtASignal) {
  AddingRun adding;
  adding.plan.steps = 0;
  adding.adder->at_step = [](std::int64_t step, Firing& firing) {
    if (step == 5) {
      std::raise(SIGINT);
      while (!firing.stop_requested()) {
        std::this_thread::yield();
      }
    }
  };
  EXPECT_EQ(run(adding), 130);
  EXPECT_EQ(report()["outcome"]["code"], 130);
  EXPECT_THAT(checkpoints(), Not(IsEmpty()));
  EXPECT_GE(checkpoints().back(), 5);
}

TEST_F(RunSessionTest, EndsAtOnceAtTheSecondSignalWithAReport) {
  AddingRun adding;
  adding.adder->at_step = [](std::int64_t step, Firing& firing) {
    if (step == 5) {
      std::raise(SIGINT);
      std::raise(SIGINT);
      while (!firing.stop_requested()) {
        std::this_thread::yield();
      }
    }
  };
  EXPECT_EQ(run(adding), 130);
  EXPECT_EQ(report()["outcome"]["code"], 130);
}

TEST_F(RunSessionTest, ReportsEvenWhereAStageDoesNotReturnAfterTheSecondSignal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        AddingRun adding;
        adding.adder->at_step = [](std::int64_t step, Firing&) {
          std::raise(SIGINT);
          std::raise(SIGINT);
          while (step > 0) {
            std::this_thread::yield();
          }
        };
        request_.json = true;  // so that what is said goes to standard error
        run_session(application_, adding.plan, request_);
      },
      ::testing::ExitedWithCode(130), "interrupted at once after step 0, with work under way(.|\n)*report:");
}

TEST_F(RunSessionTest, GoesOnWhereACheckpointStands) {
  AddingRun broken;
  broken.plan.checkpoint_every = 4;
  broken.adder->at_step = [](std::int64_t step, Firing&) {
    if (step == 7) {
      throw std::runtime_error("out of paper");
    }
  };
  EXPECT_EQ(run(broken), 1);
  AddingRun again;
  request_.resume = true;
  EXPECT_EQ(run(again), 0);
  EXPECT_EQ(again.adder->sum, 55);
  EXPECT_THAT(metrics(), ElementsAre("evaluation 0 start", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
                                     "evaluation 10 end"));
  EXPECT_THAT(again.hooks.calls, ElementsAre("resolve", "evaluate 10 end", "finish"));
  EXPECT_THAT(out_, HasSubstr("resuming from step 4"));
}

TEST_F(RunSessionTest, DoesNothingForAFinishedRun) {
  AddingRun adding;
  run(adding);
  const std::string before = read_text(path_ / "report.json");
  AddingRun again;
  request_.resume = true;
  EXPECT_EQ(run(again), 0);
  EXPECT_EQ(read_text(path_ / "report.json"), before);
  EXPECT_THAT(again.hooks.calls, IsEmpty());
  EXPECT_THAT(out_, HasSubstr("is finished"));
}

TEST_F(RunSessionTest, GoesOnWithAFinishedRunThatShallHaveMoreSteps) {
  AddingRun adding;
  run(adding);
  AddingRun again;
  again.plan.steps = 12;
  again.plan.resolved["run"]["steps"] = 12;
  request_.resume = true;
  EXPECT_EQ(run(again), 0);
  EXPECT_EQ(again.adder->sum, 78);
}

TEST_F(RunSessionTest, MakesUpForTheEndOfARunThatWasKilledAfterItsLastCheckpoint) {
  AddingRun adding;
  run(adding);
  fs::remove(path_ / "report.json");
  AddingRun again;
  request_.resume = true;
  EXPECT_EQ(run(again), 0);
  EXPECT_EQ(again.adder->sum, 55);
  EXPECT_THAT(again.hooks.calls, ElementsAre("resolve", "evaluate 10 end", "finish"));
  EXPECT_THAT(metrics(), ElementsAre("evaluation 0 start", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
                                     "evaluation 10 end"));
  EXPECT_EQ(report()["outcome"]["code"], 0);
}

TEST_F(RunSessionTest, PrintsWhatItCannotReport) {
  AddingRun adding;
  adding.hooks.at_finish = [&] { fs::create_directory(path_ / "report.json.tmp"); };
  EXPECT_EQ(run(adding), 2);
  EXPECT_THAT(err_, AllOf(HasSubstr("cannot write"), HasSubstr("report.json.tmp")));
  EXPECT_THAT(checkpoints(), ElementsAre(10));
}

TEST_F(RunSessionTest, RefusesResumeAndForceTogetherAndResumeOfNothingNamed) {
  AddingRun adding;
  request_.resume = true;
  request_.force = true;
  EXPECT_THROW(run(adding), UserError);
  request_.force = false;
  request_.run_dir.clear();
  EXPECT_THROW(run(adding), UserError);
}

TEST_F(RunSessionTest, EndsStandardOutputWithOneObject) {
  AddingRun adding;
  request_.json = true;
  run(adding);
  const Json object = Json::parse(out_);
  EXPECT_EQ(object["outcome"]["code"], 0);
  EXPECT_EQ(object["run_dir"], path_.string());
  EXPECT_EQ(object["report"], (path_ / "report.json").string());
  EXPECT_EQ(object["training"]["steps"], 10);
  EXPECT_THAT(object["verdict"]["text"].get<std::string>(), Not(IsEmpty()));
}

TEST_F(RunSessionTest, RunsWhereNamesAreNoUtf8) {
  AddingRun adding;
  path_ = folder_.path() / "run\xFF";
  request_ = {.run_dir = path_, .json = true, .command_line = "adding-app run g\xFF.json"};
  adding.plan.origins = {{"/run/steps", "g\xFF.json:3:5"}};
  EXPECT_EQ(run(adding), 0);
  EXPECT_THAT(Json::parse(out_)["run_dir"].get<std::string>(), testing::EndsWith("run\xEF\xBF\xBD"));
  EXPECT_EQ(report()["outcome"]["code"], 0);
}

TEST_F(RunSessionTest, SaysTheSummaryTheVerdictAndWhereTheReportIs) {
  AddingRun adding;
  run(adding);
  EXPECT_THAT(out_, AllOf(HasSubstr("the last table\n"), HasSubstr("\nverdict: "), HasSubstr("report.txt\n")));
}

TEST_F(RunSessionTest, IsQuietWhenAsked) {
  AddingRun adding;
  request_.quiet = true;
  run(adding);
  EXPECT_EQ(out_, "");
  EXPECT_EQ(err_, "");
}

}  // namespace
}  // namespace dflash
