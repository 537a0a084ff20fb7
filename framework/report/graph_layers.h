// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace dflash {

/// Where a stage stands in the picture of a graph: in which column, and how far down in it.
struct LayerPlace {
  std::size_t layer = 0;
  std::size_t row = 0;
};

/// Columns by the longest way from a source, rows near those of a stage's neighbours, so that few edges cross. An edge
/// (from, to) that does not lead to a later stage is feedback, and moves none. Stages come in topological order.
std::vector<LayerPlace> graph_layers(std::size_t stages, const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace dflash
