// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/compare_command.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/session_fixture.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

class CompareCommandTest : public SessionTest {
 protected:
  /// A run of a hundred steps in a folder of that name.
  std::string made(const std::string& name) {
    AddingRun adding;
    adding.plan.steps = 100;
    adding.plan.evaluate = false;
    request_.run_dir = folder_.path() / name;
    EXPECT_EQ(run(adding), 0);
    return request_.run_dir.string();
  }

  static std::string compared(const std::string& a, const std::string& b, const CommandOutput& output) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(compare_command().run({{"A", a}, {"B", b}}, output), 0);
    return testing::internal::GetCapturedStdout();
  }

  static auto comparing(const std::string& a, const std::string& b) {
    return [=] { compare_command().run({{"A", a}, {"B", b}}, {}); };
  }
};

TEST_F(CompareCommandTest, ComparesWhatRunsHaveLeft) {
  const std::string a = made("a");
  const std::string b = made("b");
  const Json json = Json::parse(compared(a, b, {.json = true}));
  EXPECT_EQ(json.at("samples"), 89);
  EXPECT_EQ(json.at("unit"), "steps/s");
  EXPECT_LE(json.at("low"), json.at("ratio"));
  EXPECT_GE(json.at("high"), json.at("ratio"));
  EXPECT_TRUE(json.at("equal_loss").is_null());
  EXPECT_EQ(json.at("stages")[0].at("name"), "numbers");
  EXPECT_EQ(json.at("stages")[1].at("type_b"), "adder");
  EXPECT_EQ(json.at("edges").size(), 1U);
  EXPECT_THAT(compared(a, b, {}), HasSubstr("\nA: " + a + ": "));
  EXPECT_EQ(compared(a, b, {.quiet = true}), "");
}

TEST_F(CompareCommandTest, TakesSeveralRunsOfASide) {
  const std::string a = made("a,1");  // as a folder may be called
  const std::string b = made("b");
  const Json json = Json::parse(compared(a, b + "," + made("c"), {.json = true}));
  EXPECT_EQ(json.at("runs").at("a"), Json::array({a}));
  EXPECT_EQ(json.at("runs").at("b").size(), 2U);
  EXPECT_EQ(json.at("spread_measured"), false);
  EXPECT_EQ(json.at("equal_graphs"), true);
}

TEST_F(CompareCommandTest, TakesEachRunOnce) {
  const std::string a = made("a");
  EXPECT_THAT(comparing(a + "," + folder_.path().string() + "/./a", a),
              ThrowsMessage<UserError>(HasSubstr("on one side, allowed: each run once")));
}

TEST_F(CompareCommandTest, TakesRunsOfOneGraphForASide) {
  const std::string a = made("a");
  const std::string b = made("b");
  const std::filesystem::path file = std::filesystem::path{b} / "resolved.json";
  Json resolved = Json::parse(read_text(file));
  resolved["graph"]["run"]["seed"] = 77;
  replace_durably(file, resolved.dump());
  EXPECT_NE(compared(a + "," + b, a, {}), "");
  resolved["graph"]["stages"]["adder"]["inject"] = {{"sleep_ms", 3}};
  replace_durably(file, resolved.dump());
  EXPECT_THAT(comparing(a + "," + b, a),
              ThrowsMessage<UserError>(HasSubstr("'" + a + "' and '" + b + "' are of different graphs (in stages")));
}

TEST_F(CompareCommandTest, NamesWhatCannotBeCompared) {
  const std::string a = made("a");
  EXPECT_THAT(comparing(a, "no-run"), ThrowsMessage<UserError>(StartsWith("there is no run directory 'no-run'")));
  EXPECT_THAT(comparing(a + ",", "no-run"), ThrowsMessage<UserError>(HasSubstr("'no-run'")));
  EXPECT_THAT(comparing(a, ","), ThrowsMessage<UserError>(HasSubstr("allowed: run directories")));
  EXPECT_THAT(comparing(a, ""), ThrowsMessage<UserError>(HasSubstr("found no run directory")));
  const std::filesystem::path report = std::filesystem::path{a} / "report.json";
  Json damaged = Json::parse(read_text(report));
  damaged["stages"] = 3;
  replace_durably(report, damaged.dump());
  EXPECT_THAT(comparing(a, a), ThrowsMessage<UserError>(HasSubstr("is damaged")));
}

}  // namespace
}  // namespace dflash
