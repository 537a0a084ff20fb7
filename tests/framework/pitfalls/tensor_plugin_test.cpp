// SPDX-License-Identifier: Apache-2.0
// D21: a plugin with tensors links and runs in a test of its own, as docs/write_a_stage.md says.
#include <gmock/gmock.h>

#include "framework/core/plugin.h"
#include "framework/core/stage_runner.h"
#include "tests/support/example_stages.h"

extern "C" const dflash::PluginInfo* dflash_graph_plugin();

namespace dflash {
namespace {

TEST(TensorPlugin, BringsAStageThatComputesWithTensors) {
  Catalog catalog;
  std::string error;
  ASSERT_TRUE(dflash_graph_plugin()->add_stages(catalog, error)) << error;
  EXPECT_STRNE(dflash_graph_plugin()->libtorch, "");
  const std::unique_ptr<Stage> stage = catalog.find("tensor_adder")->make();
  StageRunner runner{*stage};
  runner.feed_item(*stage->inputs().front(), make_item<ExampleNumber>({.value = 41}));
  runner.fire();
  std::vector<Item> items = runner.output_items(*stage->outputs().front());
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(take_payload<ExampleNumber>(std::move(items.front())).value, 42);
}

}  // namespace
}  // namespace dflash
