// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/sweep_command.h"

#include <filesystem>
#include <fstream>
#include <memory>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/child_process.h"
#include "framework/core/error.h"
#include "tests/support/adding_run.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::ThrowsMessage;

class SweepCommandTest : public testing::Test {
 protected:
  SweepCommandTest() {
    application_.name = "adding-app";
    application_.catalog.add<Numbers>();
    application_.catalog.add<Adder>();
    application_.new_run = [] { return std::make_unique<NotingHooks>(); };
    std::ofstream{graph_.path} << R"({"schema": "dflash-graph/1", "name": "adding",
        "stages": {"numbers": {"type": "numbers"}, "adder": {"type": "adder"}},
        "edges": ["numbers.numbers -> adder.numbers"], "run": {"device": "cpu", "steps": 12}})";
  }

  int sweep() {
    testing::internal::CaptureStdout();
    const int code = sweep_command(application_, graph_, request_);
    out_ = testing::internal::GetCapturedStdout();
    return code;
  }

  [[nodiscard]] Json written(const std::string& name = "sweep.json") const {
    return Json::parse(read_text(directory_ / name));
  }

  [[nodiscard]] auto says(const std::string& words) {
    return [this, words] {
      EXPECT_THAT([&] { sweep_command(application_, graph_, request_); }, ThrowsMessage<UserError>(HasSubstr(words)));
    };
  }

  TemporaryFolder folder_;
  fs::path directory_ = folder_.path() / "sweep";
  Application application_;
  GraphRequest graph_{.path = folder_.path() / "adding.json"};
  SweepRequest request_{
      .vary = {"adder.inject.sleep_ms=0,1"}, .rounds = 2, .run_dir = directory_, .program = DFLASH_ADDING_APP};
  std::string out_;
};

TEST_F(SweepCommandTest, RunsEachVariantInEachRound) {
  EXPECT_EQ(sweep(), 0);
  const Json result = written();
  EXPECT_EQ(result.at("complete"), true);
  ASSERT_THAT(result.at("variants"), SizeIs(2));
  for (const Json& variant : result.at("variants")) {
    EXPECT_THAT(variant.at("runs"), SizeIs(2));
    for (const Json& run : variant.at("runs")) {
      EXPECT_EQ(run.at("code"), 0);
      EXPECT_TRUE(fs::exists(run.at("run_dir").get<std::string>() + "/timeline.json"));
    }
    EXPECT_TRUE(variant.at("ratio").is_number());
  }
  EXPECT_TRUE(fs::exists(directory_ / "adder.inject.sleep_ms=0-2" / "report.json"));
  EXPECT_FALSE(fs::exists(directory_ / "adder.inject.sleep_ms=0-2.log"));
  EXPECT_THAT(out_, AllOf(HasSubstr("[1/4] adder.inject.sleep_ms="), HasSubstr("[4/4] "), HasSubstr("\n  variant"),
                          HasSubstr(result.at("sentence").get<std::string>().substr(0, 20))));
}

TEST_F(SweepCommandTest, WritesWhatWasVariedInTheBestAsAnOverlay) {
  graph_.sets = {"run.seed=5", "numbers.inject.sleep_ms=1"};
  request_.vary = {"adder.inject.sleep_ms=20,0"};
  EXPECT_EQ(sweep(), 0);
  EXPECT_EQ(written().at("best"), "adder.inject.sleep_ms=0");
  EXPECT_EQ(written("best.json"), (Json{{"stages", {{"adder", {{"inject", {{"sleep_ms", 0}}}}}}}}));
  EXPECT_THAT(out_, HasSubstr("best.json (what was varied; without --set run.seed=5 --set numbers.inject.sleep_ms=1)"));
}

TEST_F(SweepCommandTest, WritesNoOverlayThatMayBeNoBetter) {
  request_.vary = {"run.seed=1,2"};
  request_.rounds = 1;
  EXPECT_EQ(sweep(), 0);
  std::ofstream{directory_ / "best.json"} << "{}";
  request_.resume = true;
  EXPECT_EQ(sweep(), 0);
  if (written().at("best").is_null()) {  // else the machine was at something else
    EXPECT_FALSE(fs::exists(directory_ / "best.json"));
    EXPECT_THAT(out_, Not(HasSubstr("overlay: ")));
  }
}

TEST_F(SweepCommandTest, PrintsOneObjectForPrograms) {
  request_.output.json = true;
  testing::internal::CaptureStderr();
  request_.vary = {"adder.inject.sleep_ms=20,0"};
  EXPECT_EQ(sweep(), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("[4/4] "));
  const Json json = Json::parse(out_);
  EXPECT_EQ(json.at("variants"), written().at("variants"));
  EXPECT_EQ(json.at("overlay"), (directory_ / "best.json").string());
}

TEST_F(SweepCommandTest, GoesOnWhereARunFails) {
  request_.vary = {"adder.inject.throw_at=0,7"};
  request_.rounds = 1;
  EXPECT_EQ(sweep(), 1);
  const Json variants = written().at("variants");
  EXPECT_EQ(variants[0].at("runs")[0].at("code"), 0);
  EXPECT_EQ(variants[1].at("runs")[0].at("code"), 1);
  EXPECT_THAT(variants[1].at("runs")[0].at("text").get<std::string>(), HasSubstr("stage 'adder'"));
  EXPECT_EQ(written().at("best"), "adder.inject.throw_at=0");
  EXPECT_THAT(out_, HasSubstr("throw_at=7-1 failed with code 1: error: "));
}

TEST_F(SweepCommandTest, ResumesWithMoreRounds) {
  request_.rounds = 1;
  EXPECT_EQ(sweep(), 0);
  const fs::path report = directory_ / "adder.inject.sleep_ms=1-1" / "report.json";
  const std::string before = read_text(report);
  request_.rounds = 2;
  says("exists and is not empty; allowed: a new one, or --resume")();
  request_.resume = true;
  EXPECT_EQ(sweep(), 0);
  EXPECT_THAT(out_, HasSubstr("(kept)"));
  EXPECT_EQ(read_text(report), before);
  EXPECT_THAT(written().at("variants")[1].at("runs"), SizeIs(2));
}

// Whatever it is: what the folder holds is left alone.
TEST_F(SweepCommandTest, ResumesNoOtherSweep) {
  request_.rounds = 1;
  EXPECT_EQ(sweep(), 0);
  const std::string before = read_text(directory_ / "sweep.json");
  request_.resume = true;
  graph_.sets = {"run.steps=13"};
  says(R"(differs in set ([] there, ["run.steps=13"] here); allowed: the sweep as it was)")();
  graph_.sets = {};
  request_.vary = {"adder.inject.sleep_ms=0,2"};
  says(R"(variants (["adder.inject.sleep_ms=0","adder.inject.sleep_ms=1"] there)")();
  request_.vary = {"adder.inject.sleep_ms=0,1"};
  request_.seed = 2;
  says("seed (1 there, 2 here)")();
  request_.seed = 1;
  std::string text = read_text(graph_.path);
  text.replace(text.find("12}"), 2, "14");
  std::ofstream{graph_.path} << text;
  says("was of another graph, it differs in run.steps")();
  EXPECT_EQ(read_text(directory_ / "sweep.json"), before);
}

TEST_F(SweepCommandTest, ResumesNoSweepOfMoreRounds) {
  EXPECT_EQ(sweep(), 0);
  request_.resume = true;
  request_.rounds = 1;
  says("rounds (2 there, 1 here)")();
}

TEST_F(SweepCommandTest, NamesADamagedFileOfTheFolder) {
  request_.rounds = 1;
  EXPECT_EQ(sweep(), 0);
  request_.resume = true;
  const fs::path report = directory_ / "adder.inject.sleep_ms=1-1" / "report.json";
  Json damaged = Json::parse(read_text(report));
  damaged["outcome"] = 3;
  replace_durably(report, damaged.dump());
  says("report.json' is damaged: ")();
  replace_durably(directory_ / "sweep.json", R"({"variants": 3})");
  says("sweep.json' is damaged: ")();
}

TEST_F(SweepCommandTest, RunsAgainWhatHadFailed) {
  request_.rounds = 1;
  EXPECT_EQ(sweep(), 0);
  const fs::path report = directory_ / "adder.inject.sleep_ms=1-1" / "report.json";
  Json failed = Json::parse(read_text(report));
  failed["outcome"]["code"] = 1;
  replace_durably(report, failed.dump());
  request_.resume = true;
  EXPECT_EQ(sweep(), 0);
  EXPECT_EQ(Json::parse(read_text(report)).at("outcome").at("code"), 0);
}

TEST_F(SweepCommandTest, StopsWhereTheUserAsksItTo) {
  const auto seen = [&] {
    const bool works = fs::exists(directory_) &&
                       std::ranges::any_of(
                           fs::recursive_directory_iterator{directory_},
                           [](const fs::directory_entry& entry) { return entry.path().filename() == "metrics.jsonl"; });
    return works ? 1 : 0;
  };
  const int code = run_child(DFLASH_ADDING_APP,
                             {"adding-app", "sweep", graph_.path.string(), "--vary", "adder.inject.sleep_ms=4,5",
                              "--set", "run.steps=900", "--run-dir", directory_.string(), "--json"},
                             folder_.path() / "log", seen);
  EXPECT_EQ(code, 130);
  EXPECT_EQ(written().at("complete"), false);
  const Json last =
      Json::parse(read_text(folder_.path() / "log").substr(read_text(folder_.path() / "log").rfind("\n{") + 1));
  EXPECT_EQ(last.at("variants"), written().at("variants"));
  EXPECT_THAT(read_text(folder_.path() / "log"),
              AllOf(HasSubstr("[0/6] "), HasSubstr(", round 1: interrupted\n"), Not(HasSubstr("code 130")),
                    HasSubstr("\nInterrupted after 0 of 6 runs; go on with --resume --run-dir ")));
  EXPECT_TRUE(written().at("best").is_null());
  EXPECT_FALSE(fs::exists(directory_ / "best.json"));
}

TEST_F(SweepCommandTest, ChecksAllVariantsBeforeAnyRun) {
  request_.vary = {"adder.inject.sleep_ms=0,-1", "adder.inject.throw_at=x,2"};
  says(
      "variants 'adder.inject.sleep_ms=0+adder.inject.throw_at=x', "
      "'adder.inject.sleep_ms=-1+adder.inject.throw_at=x': --set adder.inject.throw_at=x: ")();
  says("/stages/adder/inject/sleep_ms")();
  request_.vary = {"addr.inject.sleep_ms=0,1"};
  says("variant 'addr.inject.sleep_ms=0': --set addr.inject.sleep_ms=0: unknown stage")();
  graph_.sets = {"run.stpes=3"};
  says("every variant: --set run.stpes=3: ")();
  graph_.sets = {};
  request_.vary = {"adder.x"};
  says("allowed: PATH=VALUE,VALUE")();
  request_.vary = {};
  says("less than two variants")();
  EXPECT_FALSE(fs::exists(directory_));
}

TEST_F(SweepCommandTest, TakesAFileOfVariants) {
  request_.file = folder_.path() / "s.json";
  std::ofstream{request_.file} << R"({"schema": "dflash-sweep/1", "variants": {"plain": {},
      "short": {"set": {"run.steps": 9}}}})";
  request_.vary = {};
  request_.rounds = 1;
  EXPECT_EQ(sweep(), 0);
  EXPECT_EQ(Json::parse(read_text(directory_ / "short-1" / "resolved.json")).at("graph").at("run").at("steps"), 9);
}

TEST_F(SweepCommandTest, TouchesNoOtherFolder) {
  fs::create_directories(directory_ / "mine");
  says("exists and is not empty; allowed: a new one")();
  request_.resume = true;
  says("exists and is not empty; allowed: a new one")();
  request_.run_dir.clear();
  says("--resume needs --run-dir")();
}

}  // namespace
}  // namespace dflash
