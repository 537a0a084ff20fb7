// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/plugin_changes.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const char* const kGraph =
    R"({"stages": {"a": {"type": "doubler"}, "b": {"type": "doubler"}, "c": {"type": "adder"}}})";

Json plugin(const std::string& file, const std::string& hash, const std::string& type) {
  return {{file, {{"version", "1"}, {"hash", hash}, {"types", {type}}}}};
}

std::vector<std::string> changes(const Json& before, const Json& now) {
  return plugin_changes(before, now, Json::parse(kGraph));
}

TEST(PluginChanges, AreNoneWhereTheContentIsTheSame) {
  EXPECT_THAT(changes(Json::object(), Json::object()), IsEmpty());
  EXPECT_THAT(changes(plugin("a.so", "12", "doubler"), plugin("moved/a.so", "12", "doubler")), IsEmpty());
}

TEST(PluginChanges, NameAnotherBuildOnce) {
  EXPECT_THAT(changes(plugin("a.so", "12", "doubler"), plugin("a.so", "34", "doubler")),
              ElementsAre("stage type 'doubler' comes from plugin 'a.so' (34), and came from plugin 'a.so' (12): items "
                          "and losses may differ"));
}

TEST(PluginChanges, NameTheProgramWhereATypeIsOrWasItsOwn) {
  EXPECT_THAT(changes(plugin("a.so", "12", "adder"), Json::object()),
              ElementsAre("stage type 'adder' comes from the program itself, and came from plugin 'a.so' (12): items "
                          "and losses may differ"));
  EXPECT_THAT(changes(Json::object(), plugin("a.so", "12", "adder")),
              ElementsAre("stage type 'adder' comes from plugin 'a.so' (12), and came from the program itself: items "
                          "and losses may differ"));
}

TEST(PluginChanges, LeaveOutTypesThatTheGraphHasNot) {
  EXPECT_THAT(changes(plugin("a.so", "12", "halver"), plugin("a.so", "34", "halver")), IsEmpty());
}

TEST(PluginChanges, AreRefusedWhereARunHasWrittenSomethingElse) {
  EXPECT_THROW(changes({{"a.so", 7}}, Json::object()), Json::exception);
  EXPECT_THROW(changes({{"a.so", {{"types", {7}}}}}, Json::object()), Json::exception);
}

}  // namespace
}  // namespace dflash
