// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/core/graph.h"

namespace dflash {

/// Positions of the vertices, producers before consumers, feedback edges left out; what lies on a cycle of other edges,
/// or behind one, is missing.
[[nodiscard]] std::vector<std::size_t> dependency_order(const Graph& graph);

/// What keeps items from flowing, for stages that give an item on each output for one on each input: cycles without a
/// feedback edge, feedback edges that lead nowhere back, cycles in which no stage could ever fire (their edges are
/// named), and dropping edges whose items are paired with others behind them.
[[nodiscard]] std::vector<std::string> flow_mistakes(const Graph& graph);

/// What is allowed, but changes what a run promises: feedback edges, whose items are in no checkpoint, and dropping
/// edges before the stage that drives steps.
[[nodiscard]] std::vector<std::string> flow_warnings(const Graph& graph);

}  // namespace dflash
