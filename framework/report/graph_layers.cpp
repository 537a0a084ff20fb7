// SPDX-License-Identifier: Apache-2.0
#include "framework/report/graph_layers.h"

#include <algorithm>
#include <numeric>

namespace dflash {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

constexpr int kSweeps = 4;

/// Sorts a column by the mean row of each stage's neighbours; one without keeps its row.
void settle(std::vector<std::size_t>& column, const std::vector<std::vector<std::size_t>>& neighbours,
            std::vector<LayerPlace>& places) {
  std::vector<std::pair<double, std::size_t>> wishes;
  for (const std::size_t stage : column) {
    const auto& near = neighbours[stage];
    const double sum = std::accumulate(near.begin(), near.end(), 0.0, [&](double total, std::size_t other) {
      return total + static_cast<double>(places[other].row);
    });
    wishes.emplace_back(near.empty() ? static_cast<double>(places[stage].row) : sum / static_cast<double>(near.size()),
                        stage);
  }
  std::stable_sort(wishes.begin(), wishes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t row = 0; row < column.size(); ++row) {
    column[row] = wishes[row].second;
    places[column[row]].row = row;
  }
}

}  // namespace

std::vector<LayerPlace> graph_layers(std::size_t stages, const Edges& edges) {
  std::vector<LayerPlace> places(stages);
  std::vector<std::vector<std::size_t>> before(stages);
  std::vector<std::vector<std::size_t>> behind(stages);
  Edges forward;
  std::copy_if(edges.begin(), edges.end(), std::back_inserter(forward),
               [&](const auto& edge) { return edge.first < edge.second && edge.second < stages; });
  std::sort(forward.begin(), forward.end());
  for (const auto& [from, to] : forward) {
    places[to].layer = std::max(places[to].layer, places[from].layer + 1);
    before[to].push_back(from);
    behind[from].push_back(to);
  }
  std::vector<std::vector<std::size_t>> columns;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    columns.resize(std::max(columns.size(), places[stage].layer + 1));
    places[stage].row = columns[places[stage].layer].size();
    columns[places[stage].layer].push_back(stage);
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (auto& column : columns) {
      settle(column, before, places);
    }
    std::for_each(columns.rbegin(), columns.rend(), [&](auto& column) { settle(column, behind, places); });
  }
  return places;
}

}  // namespace dflash
