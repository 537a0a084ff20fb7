// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/graph_drawing.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/example_stages.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A counter into three replicas of a scaler, over an edge that drops.
class GraphDrawingTest : public testing::Test {
 protected:
  GraphDrawingTest() {
    auto& data = graph_.add<ExampleCounter>("data");
    auto scaler = std::make_unique<ExampleScaler>();
    const ExampleScaler& scale = *scaler;
    StageInfo info = ExampleScaler::info();
    info.stateless = true;
    graph_.add_stage("scale", info, std::move(scaler), {.replicas = 3});
    graph_.connect(data.out, scale.in, {.items = 8, .bytes = 2048}, {.when_full = WhenFull::kDropOldest});
  }
  Graph graph_;
};

TEST_F(GraphDrawingTest, TellsWhatAFullEdgeDoesAndHowManyReplicasThereAre) {
  EXPECT_EQ(draw_text(graph_),
            "data (counter)\n  numbers -> scale.in   number, at most 8 items, 2 KiB waiting, when full: drop_oldest\n"
            "scale (scaler) x3\n");
  EXPECT_THAT(draw_dot(graph_, "g"), AllOf(HasSubstr("[label=\"scale\\nscaler x3\"];"),
                                           HasSubstr("number (8 items, 2 KiB, when full: drop_oldest)")));
  EXPECT_THAT(draw_mermaid(graph_), AllOf(HasSubstr("[\"scale<br/>scaler x3\"]"), HasSubstr("when full: drop_oldest")));
  const Json drawn = draw_json(graph_);
  EXPECT_EQ(drawn.at("stages").at(1).at("replicas"), 3);
  EXPECT_EQ(drawn.at("edges").at(0).at("when_full"), "drop_oldest");
}

}  // namespace
}  // namespace dflash
