// SPDX-License-Identifier: Apache-2.0
// A plugin is somebody else's code: whatever is wrong with it is one line that names its file, and never an abort.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "framework/cli/plugin_library.h"
#include "framework/core/error.h"
#include "framework/core/plugin.h"
#include "tests/support/example_application.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_plugins.h"

namespace dflash {
namespace {

class D21 : public testing::Test {
 protected:
  std::string plugin(const std::string& name) const { return copied_plugin("example_plugin", folder_.path(), name); }

  /// What is said of these files, without the folder of the tests.
  std::string refusal_of(const std::vector<std::string>& files) {
    std::string message = "nothing: it was taken";
    try {
      load_plugins(files, application_);
    } catch (const UserError& error) {
      message = error.what();
    }
    const std::string folder = folder_.path().string() + "/";
    for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder)) {
      message.erase(at, folder.size());
    }
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }

  TemporaryFolder folder_;
  Application application_ = example_application();
};

TEST_F(D21, WhatIsNoPluginIsRefused) {
  const std::string text = (folder_.path() / "text.so").string();
  std::ofstream{text} << "some text";
  EXPECT_EQ(refusal_of({text}), "plugin 'text.so': not a shared library that can be loaded: file too short");
  std::ofstream{text} << std::string(200, 'x');
  EXPECT_EQ(refusal_of({text}), "plugin 'text.so': not a shared library that can be loaded: invalid ELF header");
  EXPECT_EQ(refusal_of({copied_plugin("no_plugin", folder_.path(), "no_plugin")}),
            "plugin 'no_plugin.so': a shared library, but no plugin: it has no function 'dflash_graph_plugin'");
  EXPECT_EQ(refusal_of({plugin("describes_nothing")}),
            "plugin 'describes_nothing.so': 'dflash_graph_plugin' returned nothing");
}

TEST_F(D21, AnotherBuildIsRefusedWithBothValues) {
  const std::string again = "; build it again with dflash_add_plugin of this example-app";
  application_.versions = [] { return Json{{"LibTorch", "2.11.0"}}; };
  EXPECT_EQ(refusal_of({plugin("other_abi")}), "plugin 'other_abi.so': built for another plugin ABI: found " +
                                                   std::to_string(kPluginAbi + 6) + ", wanted " +
                                                   std::to_string(kPluginAbi) + again);
  EXPECT_EQ(refusal_of({plugin("other_framework")}),
            "plugin 'other_framework.so': built for another version of the framework: found 0.0.9, wanted " +
                std::string{kVersion} + again);
  EXPECT_EQ(refusal_of({plugin("other_compiler")}),
            "plugin 'other_compiler.so': built for another compiler: found 1.2.3, wanted " __VERSION__ + again);
  EXPECT_EQ(refusal_of({plugin("no_compiler")}),
            "plugin 'no_compiler.so': built for another compiler: found none, wanted " __VERSION__ + again);
  EXPECT_EQ(refusal_of({plugin("other_strings")}),
            "plugin 'other_strings.so': built for another C++ ABI (_GLIBCXX_USE_CXX11_ABI): found 0, wanted 1" + again);
  EXPECT_EQ(refusal_of({plugin("other_libtorch")}),
            "plugin 'other_libtorch.so': built for another version of LibTorch: found 2.0.1, wanted 2.11.0" + again);
  EXPECT_EQ(refusal_of({plugin("other_cuda")}),
            "plugin 'other_cuda.so': built for another version of CUDA: found 11.8, wanted none" + again);
}

TEST_F(D21, WhatTheProgramHasNoLongerIsNamed) {
  EXPECT_EQ(refusal_of({copied_plugin("lacking_plugin", folder_.path(), "lacking")}),
            "plugin 'lacking.so': example-app has no 'dflash::removed_since(int)': the plugin was built for another "
            "version of it (build it again), or lacks a source or a library of its own");
}

TEST_F(D21, WhatAPluginThrowsIsOneLine) {
  EXPECT_EQ(refusal_of({plugin("throws_at_once")}),
            "plugin 'throws_at_once.so': 'dflash_graph_plugin' failed: no plugin today");
  EXPECT_EQ(refusal_of({plugin("throws_at_registration")}),
            "plugin 'throws_at_registration.so': its stage types cannot be had: no registration today");
  EXPECT_EQ(refusal_of({plugin("throws_a_number")}),
            "plugin 'throws_a_number.so': its stage types cannot be had: something that is no std::exception was "
            "thrown");
  EXPECT_EQ(refusal_of({plugin("throws_in_constructor")}),
            "plugin 'throws_in_constructor.so': the constructor of stage type 'doubler' failed: no doubling today");
}

TEST_F(D21, WhatAStaticInitialiserThrowsIsOneLineAndExitCodeTwo) {
  const std::string file = copied_plugin("no_plugin", folder_.path(), "throws_when_loaded");
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(load_plugins({file}, application_), testing::ExitedWithCode(2),
              "^error: plugin '.*throws_when_loaded.so': its initialisation failed: no loading today\n$");
}

TEST_F(D21, ANameThatIsTakenIsRefusedWithWhoHasIt) {
  EXPECT_EQ(refusal_of({plugin("takes_a_name")}),
            "plugin 'takes_a_name.so': stage type 'scaler' is taken by the program");
  EXPECT_EQ(refusal_of({plugin("good"), plugin("as_good")}),
            "plugin 'as_good.so': stage type 'doubler' is taken by plugin 'good.so'");
  EXPECT_EQ(refusal_of({plugin("names_a_type_twice")}),
            "plugin 'names_a_type_twice.so': its stage types cannot be had: two of them are called 'doubler'");
  EXPECT_EQ(refusal_of({plugin("has_no_name")}), "plugin 'has_no_name.so': one of its stage types has no name");
}

TEST_F(D21, GoodOnesAreTakenAfterBadOnes) {
  for (const char* bad : {"throws_in_constructor", "other_abi", "throws_at_once", "takes_a_name"}) {
    (void)refusal_of({plugin(bad)});
  }
  load_plugins({plugin("good")}, application_);
  EXPECT_NE(application_.catalog.find("doubler"), nullptr);
}

}  // namespace
}  // namespace dflash
