// SPDX-License-Identifier: Apache-2.0
// Disks that refuse in the middle of a run: a plain error that names the file, and the run goes on from what was saved
// before once there is room again.
#include <filesystem>
#include <functional>
#include <string>

#include <gmock/gmock.h>

#include "framework/checkpoint/checkpoint_store.h"
#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/adding_run.h"
#include "tests/support/session_fixture.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class FailingWritesTest : public SessionTest {
 protected:
  /// From now on, what is written to this file of the run meets a full disk.
  void fill_disk_for(const std::string& name) {
    if (fs::exists(path_ / name)) {
      fs::rename(path_ / name, kept(name));
    }
    fs::create_symlink("/dev/full", path_ / name);
  }
  void make_room_for(const std::string& name) {
    fs::remove(path_ / name);
    if (fs::exists(kept(name))) {
      fs::rename(kept(name), path_ / name);
    }
  }
  /// Runs with a checkpoint every four steps, doing `at_seven` within step 7.
  int run_until_seven(const std::function<void()>& at_seven) {
    AddingRun adding;
    adding.plan.checkpoint_every = 4;
    adding.adder->at_step = [&](std::int64_t step, Firing&) {
      if (step == 7) {
        at_seven();
      }
    };
    return run(adding);
  }
  void expect_plain_error(const std::string& file) const {
    EXPECT_THAT(err_, AllOf(StartsWith("error: "), HasSubstr(path_ / file), HasSubstr("No space left on device")));
  }
  void expect_resume_to_the_end(const std::string& from = "resuming from step 4") {
    AddingRun again;
    request_.resume = true;
    EXPECT_EQ(run(again), 0) << err_;
    EXPECT_EQ(again.adder->sum, 55);
    EXPECT_THAT(out_, HasSubstr(from));
    EXPECT_THAT(metrics(), ElementsAre("evaluation 0 start", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
                                       "evaluation 10 end"));
  }

 private:
  [[nodiscard]] fs::path kept(const std::string& name) const { return folder_.path() / ("kept-" + name); }
};

TEST_F(FailingWritesTest, AMetricsLineThatIsRefusedEndsTheRunByNameAndStep) {
  EXPECT_EQ(run_until_seven([&] { fill_disk_for("metrics.jsonl"); }), 2);
  expect_plain_error("metrics.jsonl");
  EXPECT_THAT(report()["errors"][0].get<std::string>(), HasSubstr("stage 'adder', firing 8"));
  EXPECT_EQ(report()["outcome"]["code"], 2);
  make_room_for("metrics.jsonl");
  EXPECT_THAT(checkpoints(), ElementsAre(4));
  expect_resume_to_the_end();
}

TEST_F(FailingWritesTest, SoDoesAnEvaluationsLine) {
  AddingRun adding;
  adding.plan.checkpoint_every = 4;
  adding.hooks.at_evaluate = [&](const std::string& when) {
    if (when == "end") {
      fill_disk_for("metrics.jsonl");
    }
  };
  EXPECT_EQ(run(adding), 2);
  expect_plain_error("metrics.jsonl");
  EXPECT_THAT(adding.hooks.calls, testing::Contains("finish")) << "what was trained is written all the same";
  make_room_for("metrics.jsonl");
  EXPECT_THAT(checkpoints(), ElementsAre(8, 10));
  expect_resume_to_the_end("resuming from step 10");
}

TEST_F(FailingWritesTest, ACheckpointThatIsRefusedLeavesTheEarlierOne) {
  EXPECT_EQ(run_until_seven([&] {
              fs::rename(path_ / "checkpoints", folder_.path() / "kept");
              write_durably(path_ / "checkpoints", "in the way");
            }),
            2);
  EXPECT_THAT(err_, AllOf(StartsWith("error: "), HasSubstr("the checkpoint of step 8 could not be written: "),
                          HasSubstr(path_ / "checkpoints")));
  EXPECT_EQ(report()["outcome"]["code"], 2);
  fs::remove(path_ / "checkpoints");
  fs::rename(folder_.path() / "kept", path_ / "checkpoints");
  EXPECT_THAT(checkpoints(), ElementsAre(4));
  expect_resume_to_the_end();
}

TEST_F(FailingWritesTest, AReportThatIsRefusedIsPrintedAndTheRunCanGoOn) {
  EXPECT_EQ(run_until_seven([&] {
              fill_disk_for("report.json.tmp");
              throw UserError("the data is wrong");
            }),
            2);
  EXPECT_THAT(err_, AllOf(HasSubstr("the data is wrong"), HasSubstr(path_ / "report.json.tmp"),
                          HasSubstr("No space left on device")));
  EXPECT_FALSE(fs::exists(path_ / "report.json"));
  EXPECT_THAT(read_text(path_ / "report.txt"), HasSubstr("the data is wrong"));
  make_room_for("report.json.tmp");
  expect_resume_to_the_end();
}

TEST_F(FailingWritesTest, AReportForPeopleThatIsRefusedIsToldInTheOneForPrograms) {
  AddingRun adding;
  adding.hooks.at_finish = [&] { fill_disk_for("report.txt.tmp"); };
  EXPECT_EQ(run(adding), 2);
  expect_plain_error("report.txt.tmp");
  EXPECT_EQ(report()["outcome"]["code"], 2) << "the code that the program ended with";
  EXPECT_THAT(report()["errors"], SizeIs(1));
  make_room_for("report.txt.tmp");
  expect_resume_to_the_end("resuming from step 10");
}

TEST_F(FailingWritesTest, AResumeThatCannotCutBackTheMetricsLeavesThemAsTheyWere) {
  EXPECT_EQ(run_until_seven([] { throw UserError("the data is wrong"); }), 2);
  const std::string before = read_text(path_ / "metrics.jsonl");
  fill_disk_for("metrics.jsonl.tmp");
  AddingRun again;
  request_.resume = true;
  EXPECT_EQ(run(again), 2);
  expect_plain_error("metrics.jsonl.tmp");
  EXPECT_EQ(read_text(path_ / "metrics.jsonl"), before);
  EXPECT_THAT(checkpoints(), ElementsAre(4));
  make_room_for("metrics.jsonl.tmp");
  expect_resume_to_the_end();
}

TEST_F(FailingWritesTest, AResumeThatCannotWriteTheGraphKeepsTheEarlierOne) {
  EXPECT_EQ(run_until_seven([] { throw UserError("the data is wrong"); }), 2);
  const std::string before = read_text(path_ / "resolved.json");
  fill_disk_for("resolved.json.tmp");
  AddingRun again;
  request_.resume = true;
  EXPECT_EQ(run(again), 2);
  expect_plain_error("resolved.json.tmp");
  EXPECT_EQ(read_text(path_ / "resolved.json"), before);
  make_room_for("resolved.json.tmp");
  expect_resume_to_the_end();
}

}  // namespace
}  // namespace dflash
