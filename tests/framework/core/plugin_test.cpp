// SPDX-License-Identifier: Apache-2.0
#include "framework/core/plugin.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "framework/core/firing.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"
#include "tests/support/example_stages.h"

namespace dflash {
namespace {

using testing::ElementsAre;

struct Thrower final : Stage {
  static StageInfo info() { throw std::runtime_error{"no info"}; }
  void fire(Firing&) override {}
};

struct NumberThrower final : Stage {
  static StageInfo info() { throw 42; }
  void fire(Firing&) override {}
};

TEST(PluginOf, DescribesThisBuild) {
  const PluginInfo* info = plugin_of<ExampleCounter>("1.5");
  EXPECT_EQ(info->abi, kPluginAbi);
  EXPECT_STREQ(info->framework, kVersion);
  EXPECT_STREQ(info->compiler, __VERSION__);
  EXPECT_STREQ(info->libtorch, "");
  EXPECT_STREQ(info->cuda, "");
  EXPECT_STREQ(info->version, "1.5");
}

TEST(PluginOf, AddsItsStageTypesInOrder) {
  Catalog catalog;
  std::string error;
  EXPECT_TRUE((plugin_of<ExampleDice, ExampleCounter>()->add_stages(catalog, error)));
  EXPECT_THAT(catalog.type_names(), ElementsAre("dice", "counter"));
}

TEST(PluginOf, SaysWhatWasThrown) {
  Catalog catalog;
  std::string error;
  EXPECT_FALSE(plugin_of<Thrower>()->add_stages(catalog, error));
  EXPECT_EQ(error, "no info");
  EXPECT_FALSE(plugin_of<NumberThrower>()->add_stages(catalog, error));
  EXPECT_EQ(error, "something that is no std::exception was thrown");
  EXPECT_FALSE((plugin_of<ExampleDice, ExampleDice>()->add_stages(catalog, error)));
  EXPECT_THAT(error, testing::HasSubstr("two of them are called 'dice'"));
}

/// The place of a virtual function in its class's table, as the Itanium C++ ABI has it.
template <class Function>
std::ptrdiff_t place_of(Function function) {
  std::ptrdiff_t first = 0;
  std::memcpy(&first, &function, sizeof first);
  return (first - 1) / static_cast<std::ptrdiff_t>(sizeof(void*));
}

std::string layout() {
  std::string text;
  const auto add = [&](const char* what, auto number) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, number);
  };
  add("PluginInfo", sizeof(PluginInfo));
  add("StageInfo", sizeof(StageInfo));
  add("Catalog", sizeof(Catalog));
  add("Catalog::Entry", sizeof(Catalog::Entry));
  add("Stage", sizeof(Stage));
  add("StageEnv", sizeof(StageEnv));
  add("StageCheck", sizeof(StageCheck));
  add("Snapshot", sizeof(Snapshot));
  add("Resources", sizeof(Resources));
  add("RunLog", sizeof(RunLog));
  add("Item", sizeof(Item));
  add("ItemTypeInfo", sizeof(ItemTypeInfo));
  add("Input", sizeof(Input<ExampleNumber>));
  add("Output", sizeof(Output<ExampleNumber>));
  add("Param", sizeof(Param<std::int64_t>));
  add("Choice", sizeof(Choice<ExampleScaler::Mode>));
  add("Stage::check", place_of(&Stage::check));
  add("Stage::open", place_of(&Stage::open));
  add("Stage::fire", place_of(&Stage::fire));
  add("Stage::drain", place_of(&Stage::drain));
  add("Stage::close", place_of(&Stage::close));
  add("Stage::save", place_of(&Stage::save));
  add("Stage::load", place_of(&Stage::load));
  add("Stage::shares_producers_lane", place_of(&Stage::shares_producers_lane));
  add("Buffer::has_room", place_of(&Buffer::has_room));
  add("Buffer::fewest_ready", place_of(&Buffer::fewest_ready));
  add("Firing::take_item", place_of(&Firing::take_item));
  add("Firing::emit_item", place_of(&Firing::emit_item));
  add("Firing::complete_step", place_of(&Firing::complete_step));
  add("Firing::end_span", place_of(&Firing::end_span));
  return text;
}

constexpr const char* kLayoutOfAbi1 =
    "PluginInfo 56, StageInfo 72, Catalog 24, Catalog::Entry 136, Stage 80, StageEnv 136, StageCheck 32, "
    "Snapshot 56, Resources 56, RunLog 160, Item 80, ItemTypeInfo 56, Input 88, Output 88, Param 192, "
    "Choice 200, Stage::check 2, Stage::open 3, Stage::fire 4, Stage::drain 5, Stage::close 6, "
    "Stage::save 7, Stage::load 8, Stage::shares_producers_lane 9, Buffer::has_room 10, Buffer::fewest_ready 16, "
    "Firing::take_item 2, Firing::emit_item 3, Firing::complete_step 7, Firing::end_span 10";

TEST(PluginAbi, IsRaisedWithTheLayoutOfWhatPluginsShare) {
  EXPECT_EQ(kPluginAbi, 1);
  EXPECT_EQ(layout(), kLayoutOfAbi1) << "raise kPluginAbi by one, and write the new layout down here";
}

}  // namespace
}  // namespace dflash
