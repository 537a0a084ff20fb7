// SPDX-License-Identifier: Apache-2.0
#include "framework/report/graph_layers.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dflash {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> layers(const std::vector<LayerPlace>& places) {
  std::vector<std::size_t> all;
  for (const LayerPlace& place : places) {
    all.push_back(place.layer);
  }
  return all;
}

TEST(GraphLayers, AChainIsARow) { EXPECT_THAT(layers(graph_layers(3, {{0, 1}, {1, 2}})), ElementsAre(0, 1, 2)); }

TEST(GraphLayers, AStageStandsBehindTheLongestWayToIt) {
  EXPECT_THAT(layers(graph_layers(4, {{0, 3}, {0, 1}, {1, 2}, {2, 3}})), ElementsAre(0, 1, 2, 3));
}

TEST(GraphLayers, FeedbackMovesNothing) {
  EXPECT_THAT(layers(graph_layers(3, {{0, 1}, {1, 2}, {2, 0}, {1, 1}})), ElementsAre(0, 1, 2));
}

TEST(GraphLayers, BranchesDoNotCross) {
  // 0 feeds 1 and 2; 1 feeds 4, 2 feeds 3.
  const auto places = graph_layers(5, {{0, 1}, {0, 2}, {1, 4}, {2, 3}});
  EXPECT_EQ(places[1].row < places[2].row, places[4].row < places[3].row);
}

RC_GTEST_PROP(GraphLayers, GiveEveryStageAPlaceOfItsOwn, ()) {
  const auto stages = *rc::gen::inRange<std::size_t>(0, 30);
  const auto end = rc::gen::inRange<std::size_t>(0, stages + 2);
  const auto edges = *rc::gen::container<std::vector<std::pair<std::size_t, std::size_t>>>(rc::gen::pair(end, end));
  const auto places = graph_layers(stages, edges);
  RC_ASSERT(places.size() == stages);
  std::set<std::pair<std::size_t, std::size_t>> taken;
  for (const LayerPlace& place : places) {
    RC_ASSERT(taken.emplace(place.layer, place.row).second);
  }
  for (const auto& [from, to] : edges) {
    const bool is_forward = from < to && to < stages;
    RC_ASSERT((!is_forward || places[from].layer < places[to].layer));
  }
}

}  // namespace
}  // namespace dflash
