// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/graph_drawing.h"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/core/stage.h"

namespace dflash {
namespace {

std::string bytes_text(std::int64_t bytes) {
  constexpr std::int64_t kUnit = 1024;
  const char* unit = "B";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB"}) {
    if (bytes < kUnit || bytes % kUnit != 0) {
      break;
    }
    bytes /= kUnit;
    unit = larger;
  }
  return fmt::format("{} {}", bytes, unit);
}

std::string capacity_text(const Capacity& capacity) {
  const std::string bytes = capacity.bytes ? fmt::format(", {}", bytes_text(*capacity.bytes)) : "";
  return fmt::format("{} {}{}", capacity.items, capacity.items == 1 ? "item" : "items", bytes);
}

std::string when_full_word(WhenFull when_full) {
  EdgeParams params;
  params.when_full.set(when_full);
  return params.when_full.word();
}

/// What an edge has beside its capacity, in the words of the graph file.
std::string rules_text(const EdgeRules& rules) {
  const std::string full =
      rules.when_full == WhenFull::kBlock ? "" : fmt::format(", when full: {}", when_full_word(rules.when_full));
  return full + (rules.feedback ? fmt::format(", feedback, {} at first", rules.initial) : "");
}

std::string replicas_text(const Graph::Vertex& vertex) {
  return vertex.placement.replicas > 1 ? fmt::format(" x{}", vertex.placement.replicas) : "";
}

std::string end_name(const Graph& graph, const Port& port) {
  return fmt::format("{}.{}", graph.vertex_of(port.stage()).name, port.name());
}

std::size_t position_of(const Graph& graph, const Stage& stage) {
  return static_cast<std::size_t>(&graph.vertex_of(stage) - graph.vertices().data());
}

// Nodes go by number: any stage name is then safe.
std::string edges_text(const Graph& graph, std::string_view form) {
  std::string text;
  for (const Graph::Edge& edge : graph.edges()) {
    const std::string label =
        fmt::format("{} ({}{})", edge.from->type().name, capacity_text(edge.capacity), rules_text(edge.rules));
    text += fmt::format(fmt::runtime(form), position_of(graph, edge.from->stage()),
                        position_of(graph, edge.to->stage()), label);
  }
  return text;
}

}  // namespace

std::string draw_text(const Graph& graph) {
  std::string text;
  for (const std::size_t position : graph.topological_order()) {
    const Graph::Vertex& vertex = graph.vertices()[position];
    text += fmt::format("{} ({}){}\n", vertex.name, vertex.info.type, replicas_text(vertex));
    for (const Graph::Edge& edge : graph.edges()) {
      if (&edge.from->stage() == vertex.stage.get()) {
        text += fmt::format("  {} -> {}   {}, at most {} waiting{}\n", edge.from->name(), end_name(graph, *edge.to),
                            edge.from->type().name, capacity_text(edge.capacity), rules_text(edge.rules));
      }
    }
  }
  return text;
}

std::string draw_dot(const Graph& graph, const std::string& name) {
  std::string text = fmt::format("digraph {} {{\n  rankdir=TB;\n  node [shape=box];\n", Json(name).dump());
  for (std::size_t i = 0; i < graph.vertices().size(); ++i) {
    const Graph::Vertex& vertex = graph.vertices()[i];
    text += fmt::format("  s{} [label=\"{}\\n{}{}\"];\n", i, vertex.name, vertex.info.type, replicas_text(vertex));
  }
  return text + edges_text(graph, "  s{} -> s{} [label=\"{}\"];\n") + "}\n";
}

std::string draw_mermaid(const Graph& graph) {
  std::string text = "flowchart TB\n";
  for (std::size_t i = 0; i < graph.vertices().size(); ++i) {
    const Graph::Vertex& vertex = graph.vertices()[i];
    text += fmt::format("  s{}[\"{}<br/>{}{}\"]\n", i, vertex.name, vertex.info.type, replicas_text(vertex));
  }
  return text + edges_text(graph, "  s{0} -->|\"{2}\"| s{1}\n");
}

Json draw_json(const Graph& graph) {
  Json stages = Json::array();
  for (const Graph::Vertex& vertex : graph.vertices()) {
    stages.push_back({{"name", vertex.name}, {"type", vertex.info.type}, {"replicas", vertex.placement.replicas}});
  }
  Json edges = Json::array();
  for (const Graph::Edge& edge : graph.edges()) {
    edges.push_back({{"from", end_name(graph, *edge.from)},
                     {"to", end_name(graph, *edge.to)},
                     {"items", edge.from->type().name},
                     {"capacity_items", edge.capacity.items},
                     {"capacity_bytes", edge.capacity.bytes ? Json(*edge.capacity.bytes) : Json(nullptr)},
                     {"when_full", when_full_word(edge.rules.when_full)},
                     {"feedback", edge.rules.feedback}});
  }
  return {{"stages", std::move(stages)}, {"edges", std::move(edges)}};
}

}  // namespace dflash
