// SPDX-License-Identifier: Apache-2.0
#include "framework/core/flow_check.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dflash {
namespace {

constexpr std::size_t kMostFound = 1000;  // every dropping edge may be paired with every stage

/// A way from one vertex to another, and the edge that it belongs to.
struct Arc {
  std::size_t from = 0;
  std::size_t to = 0;
  const Graph::Edge* edge = nullptr;
};

using Arcs = std::vector<Arc>;

Arcs arcs_of(const Graph& graph) {
  std::unordered_map<const Stage*, std::size_t> position;
  for (std::size_t i = 0; i < graph.vertices().size(); ++i) {
    position[graph.vertices()[i].stage.get()] = i;
  }
  Arcs arcs;
  for (const Graph::Edge& edge : graph.edges()) {
    arcs.push_back({.from = position.at(&edge.from->stage()), .to = position.at(&edge.to->stage()), .edge = &edge});
  }
  return arcs;
}

Arcs without_feedback(Arcs arcs) {
  std::erase_if(arcs, [](const Arc& arc) { return arc.edge->rules.feedback; });
  return arcs;
}

using Successors = std::vector<std::vector<std::size_t>>;

Successors successors_of(std::size_t vertices, const Arcs& arcs) {
  Successors successors(vertices);
  for (const Arc& arc : arcs) {
    successors[arc.from].push_back(arc.to);
  }
  return successors;
}

std::vector<std::size_t> order_of(std::size_t vertices, const Arcs& arcs) {
  std::vector<std::size_t> open_inputs(vertices, 0);
  for (const Arc& arc : arcs) {
    ++open_inputs[arc.to];
  }
  const Successors successors = successors_of(vertices, arcs);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < vertices; ++i) {
    if (open_inputs[i] == 0) {
      order.push_back(i);
    }
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::size_t successor : successors[order[next]]) {
      if (--open_inputs[successor] == 0) {
        order.push_back(successor);
      }
    }
  }
  return order;
}

Arcs reversed(Arcs arcs) {
  for (Arc& arc : arcs) {
    std::swap(arc.from, arc.to);
  }
  return arcs;
}

/// The edges of which both ends lie on a cycle of these arcs, or between two: no order reaches them, forwards or
/// backwards.
std::vector<std::string> cyclic_edges(std::size_t vertices, const Arcs& arcs) {
  std::vector<bool> cyclic(vertices, true);
  for (const Arcs& direction : {arcs, reversed(arcs)}) {
    for (const std::size_t position : order_of(vertices, direction)) {
      cyclic[position] = false;
    }
  }
  std::vector<std::string> names;
  for (const Arc& arc : arcs) {
    const bool is_named = std::ranges::find(names, arc.edge->name) != names.end();
    if (cyclic[arc.from] && cyclic[arc.to] && !is_named) {
      names.push_back(arc.edge->name);
    }
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 16;
  const std::size_t named = std::min(names.size(), kMostNamed);
  return fmt::format("'{}'{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(named), "', '"),
                     named < names.size() ? fmt::format(" and {} more", names.size() - named) : "");
}

/// What can be reached from a vertex, itself only over a cycle.
std::vector<bool> reached_from(std::size_t start, const Successors& successors) {
  std::vector<bool> reached(successors.size(), false);
  std::vector<std::size_t> open{start};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (const std::size_t next : successors[at]) {
      if (!reached[next]) {
        reached[next] = true;
        open.push_back(next);
      }
    }
  }
  return reached;
}

/// Firing takes an item from every input and room from every output. So the graph goes on for ever if each cycle over
/// edges (which carry items forwards and room backwards) holds at least one of what it carries.
void add_dead_cycles(std::size_t vertices, const Arcs& arcs, std::vector<std::string>& found) {
  Arcs empty;
  for (const Arc& arc : arcs) {
    if (arc.edge->rules.initial == 0) {
      empty.push_back(arc);
    }
    if (arc.edge->rules.when_full == WhenFull::kBlock && arc.edge->rules.initial >= arc.edge->capacity.items) {
      empty.push_back({.from = arc.to, .to = arc.from, .edge = arc.edge});
    }
  }
  if (const std::vector<std::string> names = cyclic_edges(vertices, empty); !names.empty()) {
    found.push_back(
        fmt::format("no stage could ever fire on the cycle of {}: each waits for another; give its feedback "
                    "edge initial items, or more capacity than initial items",
                    joined(names)));
  }
}

void add_feedback_mistakes(std::size_t vertices, const Arcs& arcs, std::vector<std::string>& found) {
  const Successors forwards = successors_of(vertices, without_feedback(arcs));
  for (const Arc& arc : arcs) {
    if (arc.edge->rules.feedback && arc.from != arc.to && !reached_from(arc.to, forwards)[arc.from]) {
      found.push_back(fmt::format("edge '{}' is no feedback: it does not lead back", arc.edge->name));
    }
  }
}

/// The stage that an edge leads to, and all that can be reached from it.
std::vector<bool> behind_edge(const Arc& arc, const Successors& successors) {
  std::vector<bool> behind = reached_from(arc.to, successors);
  behind[arc.to] = true;
  return behind;
}

bool drops(const Graph::Edge& edge) {
  return edge.rules.when_full == WhenFull::kDropNewest || edge.rules.when_full == WhenFull::kDropOldest;
}

/// A stage with several inputs pairs items by their order, which a drop before it would shift. One such stage of each
/// edge is enough to be told.
void add_shifted_pairs(const Graph& graph, const Arcs& arcs, std::vector<std::string>& found) {
  const Successors successors = successors_of(graph.vertices().size(), arcs);
  for (const Arc& arc : arcs) {
    if (!drops(*arc.edge) || found.size() > kMostFound) {
      continue;
    }
    const std::vector<bool> behind = behind_edge(arc, successors);
    const auto pairs = std::ranges::find_if(graph.vertices(), [&](const Graph::Vertex& vertex) {
      return behind[static_cast<std::size_t>(&vertex - graph.vertices().data())] && vertex.stage->inputs().size() > 1;
    });
    if (pairs != graph.vertices().end()) {
      found.push_back(
          fmt::format("edge '{}' drops items, but stage '{}' behind it pairs them with those of another "
                      "input, by their order",
                      arc.edge->name, pairs->name));
    }
  }
}

/// Such a stage would wait for its own items for ever.
void add_stages_of_feedback_only(const Graph& graph, const Arcs& arcs, std::vector<std::string>& found) {
  for (std::size_t i = 0; i < graph.vertices().size(); ++i) {
    const auto leads_here = [&](const Arc& arc) { return arc.to == i; };
    const auto leads_back_here = [&](const Arc& arc) { return arc.to == i && arc.edge->rules.feedback; };
    const auto edges = std::ranges::count_if(arcs, leads_here);
    if (edges > 0 && std::ranges::count_if(arcs, leads_back_here) == edges) {
      found.push_back(
          fmt::format("stage '{}' has feedback inputs only, so it would never end", graph.vertices()[i].name));
    }
  }
}

}  // namespace

std::vector<std::size_t> dependency_order(const Graph& graph) {
  return order_of(graph.vertices().size(), without_feedback(arcs_of(graph)));
}

std::vector<std::string> flow_mistakes(const Graph& graph) {
  const std::size_t vertices = graph.vertices().size();
  const Arcs arcs = arcs_of(graph);
  std::vector<std::string> found;
  const std::vector<std::string> cycle = cyclic_edges(vertices, without_feedback(arcs));
  if (!cycle.empty()) {
    found.push_back(fmt::format(
        "the edges {} form a cycle; items must flow one way, but for an edge with feedback true", joined(cycle)));
    return found;
  }
  add_feedback_mistakes(vertices, arcs, found);
  add_stages_of_feedback_only(graph, arcs, found);
  add_dead_cycles(vertices, arcs, found);
  add_shifted_pairs(graph, arcs, found);
  return found;
}

std::vector<std::string> flow_warnings(const Graph& graph) {
  std::vector<std::string> found;
  const Arcs arcs = arcs_of(graph);
  const Successors successors = successors_of(graph.vertices().size(), arcs);
  for (const Arc& arc : arcs) {
    if (arc.edge->rules.feedback) {
      found.push_back(fmt::format("the items of feedback edge '{}' are in no checkpoint: such a run cannot be resumed",
                                  arc.edge->name));
    }
    if (!drops(*arc.edge) || found.size() > kMostFound) {
      continue;
    }
    const std::vector<bool> behind = behind_edge(arc, successors);
    for (std::size_t i = 0; i < behind.size(); ++i) {
      if (behind[i] && graph.vertices()[i].info.drives_steps) {
        found.push_back(
            fmt::format("what edge '{}' drops depends on timing, and so do the steps of '{}': no run repeats "
                        "another, and a resume does not go on with the same items",
                        arc.edge->name, graph.vertices()[i].name));
      }
    }
  }
  return found;
}

}  // namespace dflash
