// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/cut_file.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "framework/core/error.h"
#include "tests/support/any_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class CutFileTest : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream{folder_.path() / "cut.json"} << text; }
  [[nodiscard]] Json written() {
    write_cut(folder_.path(),
              {{"pack", {.firings = 7, .outputs = {3}, .delivered = {2}, .inputs = {9}, .state = "x"}}});
    return Json::parse(std::ifstream{folder_.path() / "cut.json"});
  }
  [[nodiscard]] Cut read() const { return read_cut(folder_.path()); }
  TemporaryFolder folder_;
};

TEST_F(CutFileTest, ComesBackAsItWasWritten) {
  const Json cut = written();
  EXPECT_EQ(to_json(read().at("pack")), cut.at("stages").at("pack"));
}

TEST_F(CutFileTest, RefusesAnotherForm) {
  write("[]");
  EXPECT_THAT([&] { (void)read(); }, ThrowsMessage<UserError>(HasSubstr("is damaged: it is no JSON object")));
  write(R"({"schema": 1, "stages": {}})");
  EXPECT_THAT([&] { (void)read(); }, ThrowsMessage<UserError>(HasSubstr("is not a cut of schema 'dflash-cut/1'")));
  write(R"({"schema": "dflash-cut/1", "stages": {"a": {"firings": "7"}}})");
  EXPECT_THAT([&] { (void)read(); },
              ThrowsMessage<UserError>(HasSubstr("cut.json' is damaged: found \"7\", allowed: a whole number")));
  write(R"({"schema": "dflash-cut/1", "stages": 3})");
  EXPECT_THAT([&] { (void)read(); }, ThrowsMessage<UserError>(HasSubstr("cut.json' is damaged: ")));
}

TEST_F(CutFileTest, RefusesNumbersThatAreNotWhole) {
  const Json good = written();
  for (const char* path : {"/stages/pack/firings", "/stages/pack/outputs/0", "/stages/pack/delivered/0"}) {
    for (const double number : {2.5, 1e300}) {
      Json changed = good;
      changed[Json::json_pointer{path}] = number;
      write(changed.dump());
      EXPECT_THAT([&] { (void)read(); }, ThrowsMessage<UserError>(HasSubstr("allowed: a whole number"))) << path;
    }
  }
}

TEST_F(CutFileTest, RefusesDeepNesting) {
  Json cut = written();
  cut["stages"]["pack"]["state"] = "deep";
  std::string text = cut.dump();
  text.replace(text.find("\"deep\""), 6, std::string(1'000'000, '[') + std::string(1'000'000, ']'));
  write(text);
  EXPECT_THAT([&] { (void)read(); }, ThrowsMessage<UserError>(HasSubstr("is damaged")));
}

// Whatever became of the file, it is the cut that stands there, or it is refused.
RC_GTEST_FIXTURE_PROP(CutFileTest, ReadsOrRefusesAnyChange, ()) {
  const Json changed = mutated(written());
  write(changed.dump());
  try {
    for (const auto& [name, position] : read()) {
      RC_ASSERT(to_json(position).at("state") == changed.at("stages").at(name).at("state"));
    }
  } catch (const UserError& error) {
    RC_ASSERT(std::string_view{error.what()}.find("exception") == std::string_view::npos);
  }
}

}  // namespace
}  // namespace dflash
