// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/plugin_library.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/core/stage_runner.h"
#include "tests/support/example_application.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_plugins.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;
using testing::ThrowsMessage;

class PluginLibraryTest : public testing::Test {
 protected:
  std::string plugin(const std::string& name) const { return copied_plugin("example_plugin", folder_.path(), name); }

  TemporaryFolder folder_;
  Application application_ = example_application();
};

TEST_F(PluginLibraryTest, AddsStageTypesThatSayWhereTheyComeFrom) {
  const std::string file = plugin("good");
  load_plugins({file}, application_);
  const Catalog::Entry* entry = application_.catalog.find("doubler");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->plugin, file);
  EXPECT_EQ(application_.catalog.find("scaler")->plugin, "");
  ASSERT_THAT(application_.plugins, SizeIs(1));
  EXPECT_EQ(application_.plugins[0].file, file);
  EXPECT_EQ(application_.plugins[0].version, "1.5");
  EXPECT_THAT(application_.plugins[0].hash, SizeIs(16));
  EXPECT_THAT(application_.plugins[0].types, ElementsAre("doubler"));
}

TEST_F(PluginLibraryTest, GivesStagesThatWorkOnItemsOfTheProgram) {
  load_plugins({plugin("good")}, application_);
  const std::unique_ptr<Stage> stage = application_.catalog.find("doubler")->make();
  auto* doubler = dynamic_cast<Transform<ExampleNumber, ExampleNumber>*>(stage.get());
  ASSERT_NE(doubler, nullptr);
  StageRunner runner{*doubler};
  runner.feed(doubler->in, {21});
  runner.fire();
  const std::vector<ExampleNumber> numbers = runner.outputs(doubler->out);
  ASSERT_THAT(numbers, SizeIs(1));
  EXPECT_EQ(numbers[0].value, 42);
}

TEST_F(PluginLibraryTest, KeepsToItsOwnClassesWhereTheProgramHasOneOfTheSameName) {
  load_plugins({plugin("good")}, application_);
  const std::unique_ptr<Stage> stage = application_.catalog.find("doubler")->make();
  EXPECT_NE(stage->find_param("times"), nullptr) << "dflash::Adder of the tests has no parameters";
}

TEST_F(PluginLibraryTest, RefusesAFileThatIsNotThereWithTheNearest) {
  const std::string good = plugin("good");
  const std::string missing = (folder_.path() / "goood.so").string();
  EXPECT_THAT([&] { load_plugins({missing}, application_); },
              ThrowsMessage<UserError>("no such plugin '" + missing + "'; did you mean '" + good + "'?"));
  EXPECT_THAT([&] { load_plugins({folder_.path().string()}, application_); },
              ThrowsMessage<UserError>("'" + folder_.path().string() + "' is a folder, allowed: a plugin"));
}

TEST_F(PluginLibraryTest, LooksForANameWithoutAFolderInTheCurrentFolderOnly) {
  EXPECT_THAT([&] { load_plugins({"libm.so.6"}, application_); },
              ThrowsMessage<UserError>(HasSubstr("no such plugin")));
}

TEST_F(PluginLibraryTest, AddsNothingOfAPluginThatIsRefused) {
  EXPECT_THROW(load_plugins({plugin("takes_a_name")}, application_), UserError);
  EXPECT_THAT(application_.plugins, SizeIs(0));
  EXPECT_THAT(application_.catalog.entries(), SizeIs(example_catalog().entries().size()));
}

}  // namespace
}  // namespace dflash
