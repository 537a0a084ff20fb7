// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/replay_command.h"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/recording/recording.h"
#include "tests/support/adding_run.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainerEq;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kGraph = R"({
  "schema": "dflash-graph/1", "name": "adding",
  "stages": {
    "numbers": { "type": "numbers" },
    "times": { "type": "times", "params": { "by": 2 } },
    "adder": { "type": "adder" }
  },
  "edges": ["numbers.numbers -> times.in", "times.out -> adder.numbers"],
  "run": { "steps": 5, "checkpoint": { "every": 0 }, "evaluate": {} }
})";

struct Times final : Transform<std::int64_t, std::int64_t> {
  Times() : Transform{"in", "numbers", "out", "products"} {}
  static StageInfo info() { return {.type = "times", .summary = "multiplies"}; }
  Param<std::int64_t> by{*this, "by", {.value = 1}};
  std::int64_t transform(std::int64_t value, Firing&) override { return value * by(); }
};

class ReplayCommandTest : public testing::Test {
 protected:
  ReplayCommandTest() {
    std::ofstream{graph_} << kGraph;
    application_.name = "adding-app";
    application_.version = "1.2.3";
    application_.catalog.add<Numbers>();
    application_.catalog.add<Times>();
    application_.catalog.add<Adder>();
    application_.new_run = [] { return std::make_unique<NotingHooks>(); };
    application_.resolve_device = [](const std::string&) { return std::string{"cpu"}; };
    application_.versions = [] { return Json::object(); };
  }
  int command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "adding-app");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) {
      pointers.push_back(argument.data());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run_command_line(application_, static_cast<int>(pointers.size()), pointers.data());
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }
  int record(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "run", graph_, "--run-dir", run_.string(), "--record", "numbers.numbers", "--record", "times.out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return command(std::move(arguments));
  }
  int replay(const std::string& stage, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"replay", graph_, stage, "--from", run_.string(), "--run-dir", alone_.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return command(std::move(arguments));
  }
  static Json json(const fs::path& file) { return Json::parse(read_text(file)); }
  static fs::path recording(const fs::path& run, const std::string& port) {
    return run / "recordings" / (port + ".items");
  }
  static std::vector<std::int64_t> values(const fs::path& file) {
    const Recording recording{file};
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < recording.size(); ++i) {
      values.push_back(ItemType<std::int64_t>::deserialize(recording.read(i).bytes, "cpu"));
    }
    return values;
  }
  static std::vector<std::int64_t> sums(const fs::path& run) {
    std::vector<std::int64_t> sums;
    std::ifstream lines{run / "metrics.jsonl"};
    for (std::string line; std::getline(lines, line);) {
      const Json object = Json::parse(line);
      if (!object.contains("event")) {
        sums.push_back(object.at("sum").get<std::int64_t>());
      }
    }
    return sums;
  }

  TemporaryFolder folder_;
  std::string graph_ = (folder_.path() / "g.json").string();
  fs::path run_ = folder_.path() / "run";
  fs::path alone_ = folder_.path() / "alone";
  Application application_;
  std::string out_;
  std::string err_;
};

TEST_F(ReplayCommandTest, ARecordedRunIsTheRunThatItWouldHaveBeen) {
  ASSERT_EQ(record(), 0) << err_;
  EXPECT_THAT(sums(run_), ElementsAre(2, 6, 12, 20, 30));
  EXPECT_THAT(values(recording(run_, "times.out")), SizeIs(Ge(5U)));
  EXPECT_EQ(json(run_ / "resolved.json").at("recorded"), (Json{"numbers.numbers", "times.out"}));
  EXPECT_EQ(json(run_ / "report.json").at("recordings").at("times.out").at("whole"), true);
}

TEST_F(ReplayCommandTest, RunsOneStageAloneWithWhatItHadTaken) {
  ASSERT_EQ(record(), 0) << err_;
  ASSERT_EQ(replay("times", {"--record", "times.out"}), 0) << err_;
  const std::vector<std::int64_t> before = values(recording(run_, "times.out"));
  const std::vector<std::int64_t> again = values(recording(alone_, "times.out"));
  ASSERT_THAT(again, SizeIs(Ge(before.size())));
  EXPECT_THAT(std::vector(again.begin(), again.begin() + std::ssize(before)), ContainerEq(before));
  std::vector<std::string> stages;
  const Json report = json(alone_ / "report.json");
  for (const Json& stage : report.at("stages")) {
    stages.push_back(stage.at("name").get<std::string>() + " " + stage.at("type").get<std::string>());
  }
  EXPECT_THAT(stages, ElementsAre("numbers recorded", "times times", "record_times_out recorder"));
  const Json resolved = json(alone_ / "resolved.json");
  EXPECT_EQ(resolved.at("replayed").at("stage"), "times");
  EXPECT_THAT(resolved.at("graph").at("stages"), SizeIs(1));
}

TEST_F(ReplayCommandTest, RunsTheStageThatMakesTheStepsAndItsStepsEndIt) {
  ASSERT_EQ(record(), 0) << err_;
  ASSERT_EQ(replay("adder", {"--set", "run.steps=3"}), 0) << err_;
  EXPECT_THAT(sums(alone_), ElementsAre(2, 6, 12));
}

TEST_F(ReplayCommandTest, TakesOtherParametersAndSeveralRounds) {
  ASSERT_EQ(record({"--record-items", "2"}), 0) << err_;
  ASSERT_EQ(replay("times", {"--record", "times.out", "--set", "times.by=-1", "--repeat", "2"}), 0) << err_;
  EXPECT_THAT(values(recording(alone_, "times.out")), ElementsAre(-1, -2, -1, -2));
}

TEST_F(ReplayCommandTest, EvaluatesNothing) {
  ASSERT_EQ(record(), 0) << err_;
  EXPECT_THAT(read_text(run_ / "metrics.jsonl"), HasSubstr("evaluation"));
  ASSERT_EQ(replay("adder"), 0) << err_;
  EXPECT_THAT(read_text(alone_ / "metrics.jsonl"), testing::Not(HasSubstr("evaluation")));
}

TEST_F(ReplayCommandTest, SaysWhatIsMissing) {
  ASSERT_EQ(command({"run", graph_, "--run-dir", run_.string()}), 0) << err_;
  EXPECT_EQ(replay("times"), 2);
  EXPECT_THAT(err_, AllOf(HasSubstr("input 'times.in'"), HasSubstr("--record numbers.numbers")));
  EXPECT_FALSE(fs::exists(alone_));
}

TEST_F(ReplayCommandTest, WarnsOfARecordingThatIsNotWholeAndPlaysIt) {
  ASSERT_EQ(record(), 0) << err_;
  const fs::path file = recording(run_, "numbers.numbers");
  const std::string text = read_text(file);
  write_durably(file, std::string_view{text}.substr(0, text.size() - 41));
  ASSERT_EQ(replay("times"), 0) << err_;
  EXPECT_THAT(err_, AllOf(HasSubstr("warning: "), HasSubstr("incomplete: "), HasSubstr("ended within item")));
}

TEST_F(ReplayCommandTest, ARecordingBeginsWithItsRun) {
  ASSERT_EQ(record(), 0) << err_;
  EXPECT_EQ(record({"--resume"}), 2);
  EXPECT_THAT(err_, HasSubstr("--record and --resume contradict each other"));
  EXPECT_EQ(command({"run", graph_, "--run-dir", alone_.string(), "--record-items", "3"}), 2);
  EXPECT_THAT(err_, HasSubstr("--record-items needs --record"));
}

TEST_F(ReplayCommandTest, ARecordedRunGoesOnWithoutItsRecorder) {
  ASSERT_EQ(record(), 0) << err_;
  EXPECT_EQ(command({"run", graph_, "--run-dir", run_.string(), "--resume", "--set", "run.steps=7"}), 0) << err_;
  EXPECT_THAT(sums(run_), ElementsAre(2, 6, 12, 20, 30, 42, 56));
}

}  // namespace
}  // namespace dflash
