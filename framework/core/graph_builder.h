// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "framework/core/catalog.h"
#include "framework/core/diagnostics.h"
#include "framework/core/edge_text.h"
#include "framework/core/graph.h"
#include "framework/core/json_spot.h"
#include "framework/core/resolved_graph.h"

namespace dflash {

/// Makes a graph from the "stages" and "edges" of a document, going on after each mistake. What a mistake hides is not
/// reported as a mistake of its own: an input whose edge is misspelt does not count as unconnected.
class GraphBuilder {
 public:
  GraphBuilder(const Catalog& catalog, Diagnostics& diagnostics, ResolvedGraph& resolved)
      : catalog_{catalog}, diagnostics_{diagnostics}, resolved_{resolved} {}

  void add_stages(const JsonSpot& stages);
  void add_edges(const JsonSpot& edges);
  /// After all stages and edges: unconnected inputs, cycles, no source, two stages that drive steps.
  void check_structure(const JsonSpot& stages);
  [[nodiscard]] Graph take() { return std::move(graph_); }

 private:
  void add_stage(const std::string& name, const JsonSpot& spot);
  std::optional<std::string> type_of(const std::string& name, const JsonSpot& spot);
  void check_name(const std::string& name, const JsonSpot& spot);
  [[nodiscard]] Json resolved_stage(const Graph::Vertex& vertex, const JsonSpot& spot);

  void add_edge(const JsonSpot& spot, Json& resolved);
  void connect(const EdgeText& edge, const JsonSpot& spot);
  /// Null where the stage or its port is unknown; adds the mistake.
  [[nodiscard]] const OutputPort* find_output(const PortName& name, const JsonSpot& spot);
  [[nodiscard]] const InputPort* find_input(const PortName& name, const JsonSpot& spot);
  [[nodiscard]] const Stage* find_stage(const PortName& name, const JsonSpot& spot);

  const Catalog& catalog_;
  Diagnostics& diagnostics_;
  ResolvedGraph& resolved_;
  Graph graph_;
  std::vector<std::string> names_;                         // of all stages, those that could not be made too
  std::unordered_map<std::string, const Stage*> stages_;   // null: could not be made
  std::unordered_map<const InputPort*, std::string> fed_;  // inputs with an edge, and where that edge stands
  std::unordered_set<std::string> with_lost_edge_;         // stages with an edge to an unknown input
  bool all_made_ = true;
};

}  // namespace dflash
