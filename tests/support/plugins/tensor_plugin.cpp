// SPDX-License-Identifier: Apache-2.0
// A plugin that computes with tensors, for tests. What stands in front of a parameter's class matters to GCC 12.
#include <ATen/ATen.h>

#include "framework/core/plugin.h"
#include "framework/core/stage.h"
#include "tests/support/example_stages.h"

namespace dflash {
namespace {

/// Adds to numbers, by a tensor.
struct TensorAdder final : Transform<ExampleNumber, ExampleNumber> {
  TensorAdder() : Transform{"in", "numbers", "out", "numbers"} {}
  static StageInfo info() { return {.type = "tensor_adder", .summary = "Adds to numbers.", .stateless = true}; }
  Param<double> more{*this, "more", {.value = 1.0, .min = 0}};
  ExampleNumber transform(ExampleNumber number, Firing&) override {
    return {static_cast<std::int64_t>(at::full({1}, static_cast<double>(number.value)).add(more()).item<double>())};
  }
};

}  // namespace
}  // namespace dflash

extern "C" const dflash::PluginInfo* dflash_graph_plugin() { return dflash::plugin_of<dflash::TensorAdder>("1.0"); }
