// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_overlay.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "tests/support/example_stages.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class GraphOverlayTest : public testing::Test {
 protected:
  std::string file(const std::string& name, std::string_view text) {
    const std::string path = (folder_.path() / name).string();
    std::ofstream{path} << text;
    return path;
  }

  Json resolved(const GraphRequest& request) const {
    ExampleModel target;
    ExampleEvaluation evaluation;
    Diagnostics diagnostics;
    Json graph = read_graph(request, catalog_, {{{"target", &target}}, &evaluation}, diagnostics).resolved;
    diagnostics.throw_if_any();
    return graph;
  }

  TemporaryFolder folder_;
  Catalog catalog_ = example_catalog();
  std::string graph_ = file("g.json", kExampleGraph);
};

TEST_F(GraphOverlayTest, DoesWhatAllChangesDoTogether) {
  const GraphRequest changed{
      .path = graph_,
      .overlays = {file("o.json", R"({"run": {"steps": 5, "checkpoint": null}, "edges": ["data.numbers -> scale.in",
          {"from": "scale.out", "to": "spell.in", "capacity": {"items": 2}}, "spell.words -> print.words"]})")},
      .swaps = {"data=dice"},
      .sets = {"vars.limit=30", "scale.loss.gamma=9", "data.inject.sleep_ms=2"}};
  const Json overlay = graph_overlay({.path = graph_}, changed, catalog_);
  const GraphRequest by_overlay{.path = graph_, .overlays = {file("best.json", overlay.dump())}};
  EXPECT_EQ(resolved(by_overlay), resolved(changed));
  EXPECT_NE(resolved(by_overlay), resolved({.path = graph_}));
}

TEST_F(GraphOverlayTest, HoldsNoMoreThanTheChange) {
  EXPECT_EQ(graph_overlay({.path = graph_}, {.path = graph_, .sets = {"scale.mode=concat"}}, catalog_),
            Json::parse(R"({"stages": {"scale": {"params": {"mode": "concat"}}}})"));
  EXPECT_EQ(graph_overlay({.path = graph_}, {.path = graph_}, catalog_), Json::object());
}

TEST_F(GraphOverlayTest, LeavesOutWhatBothHave) {
  EXPECT_EQ(graph_overlay({.path = graph_, .swaps = {"data=dice"}},
                          {.path = graph_, .swaps = {"data=dice"}, .sets = {"data.inject.sleep_ms=2"}}, catalog_),
            Json::parse(R"({"stages": {"data": {"inject": {"sleep_ms": 2}}}})"));
}

TEST_F(GraphOverlayTest, RefusesWrongChanges) {
  EXPECT_THAT([&] { graph_overlay({.path = graph_}, {.path = graph_, .swaps = {"dta=dice"}}, catalog_); },
              ThrowsMessage<UserError>(HasSubstr("'dta'")));
}

}  // namespace
}  // namespace dflash
