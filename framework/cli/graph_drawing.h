// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/core/graph.h"
#include "framework/core/json.h"

namespace dflash {

/// A graph as text for people: each stage with its type, and its edges below it, sources first.
std::string draw_text(const Graph& graph);
/// In Graphviz's language.
std::string draw_dot(const Graph& graph, const std::string& name);
/// In Mermaid's language, as documents on GitHub show it.
std::string draw_mermaid(const Graph& graph);
/// {"stages": [{"name", "type", "replicas"}], "edges": [{"from", "to", "items", "capacity_items", "capacity_bytes",
/// "when_full", "feedback"}]}
Json draw_json(const Graph& graph);

}  // namespace dflash
