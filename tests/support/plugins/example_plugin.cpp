// SPDX-License-Identifier: Apache-2.0
// A plugin for tests. The name of its file says what is wrong with it: a test copies it to "other_abi.so", say. Under
// any other name it is a good plugin with the stage type "doubler".
#include <filesystem>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

#include "framework/core/plugin.h"
#include "framework/core/stage.h"
#include "tests/support/example_stages.h"

namespace dflash {
namespace {

bool is_named(const std::string& fault) {
  Dl_info found{};
  dladdr(reinterpret_cast<const void*>(&dflash_graph_plugin), &found);
  return std::filesystem::path{found.dli_fname}.stem() == fault;
}

}  // namespace

/// Doubles numbers. The program of the tests has a class of this name too, which must not matter.
struct Adder final : Transform<ExampleNumber, ExampleNumber> {
  Adder() : Transform{"in", "numbers", "out", "doubled numbers"} {
    if (is_named("throws_in_constructor")) {
      throw std::runtime_error{"no doubling today"};
    }
  }
  static StageInfo info() {
    if (is_named("throws_a_number")) {
      throw 42;
    }
    if (is_named("throws_at_registration")) {
      throw std::runtime_error{"no registration today"};
    }
    return {.type = is_named("takes_a_name")  ? "scaler"
                    : is_named("has_no_name") ? ""
                                              : "doubler",
            .summary = "Doubles numbers.",
            .stateless = true};
  }
  Param<std::int64_t> times{*this, "times", {.value = 2, .min = 1, .help = "what to multiply with"}};
  ExampleNumber transform(ExampleNumber number, Firing&) override { return {number.value * times()}; }
};

PluginInfo described() {
  PluginInfo info = *plugin_of<Adder>("1.5");
  if (is_named("names_a_type_twice")) {
    info = *plugin_of<Adder, Adder>();
  }
  info.abi += is_named("other_abi") ? 6 : 0;
  info.cxx11_abi = is_named("other_strings") ? 1 - info.cxx11_abi : info.cxx11_abi;
  info.framework = is_named("other_framework") ? "0.0.9" : info.framework;
  info.compiler = is_named("other_compiler") ? "1.2.3" : is_named("no_compiler") ? nullptr : info.compiler;
  info.libtorch = is_named("other_libtorch") ? "2.0.1" : info.libtorch;
  info.cuda = is_named("other_cuda") ? "11.8" : info.cuda;
  return info;
}

}  // namespace dflash

extern "C" const dflash::PluginInfo* dflash_graph_plugin() {
  static const dflash::PluginInfo info = dflash::described();
  if (dflash::is_named("throws_at_once")) {
    throw std::runtime_error{"no plugin today"};
  }
  return dflash::is_named("describes_nothing") ? nullptr : &info;
}
