// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/record_ports.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"
#include "framework/recording/item_recorder.h"

namespace dflash {
namespace {

/// Output ports by the names that ask for them: their own, and those of their edges.
std::vector<std::pair<std::string, const OutputPort*>> recordable(const Graph& graph) {
  std::vector<std::pair<std::string, const OutputPort*>> named;
  for (const Graph::Vertex& vertex : graph.vertices()) {
    for (const OutputPort* port : vertex.stage->outputs()) {
      named.emplace_back(fmt::format("{}.{}", vertex.name, port->name()), port);
    }
  }
  for (const Graph::Edge& edge : graph.edges()) {
    named.emplace_back(edge.name, edge.from);
  }
  return named;
}

const OutputPort& find_port(const Graph& graph, std::string_view asked) {
  std::string name{asked};
  std::erase(name, ' ');  // as a graph file writes an edge
  const auto named = recordable(graph);
  const auto found = std::ranges::find(named, name, [](const auto& entry) { return entry.first; });
  if (found != named.end()) {
    return *found->second;
  }
  std::vector<std::string> names;
  for (const auto& [known, port] : named) {
    if (known.find("->") == std::string::npos || name.find("->") != std::string::npos) {
      names.push_back(known);
    }
  }
  throw UserError(fmt::format("--record {}: the graph has no such output{}", name, suggestion(name, names)));
}

std::string free_name(const Graph& graph, std::string name) {
  std::ranges::replace(name, '.', '_');
  name = "record_" + name;
  while (graph.find(name) != nullptr) {
    name += '_';
  }
  return name;
}

/// What is held for the disk is bounded as what is held for the stages behind the port.
Capacity capacity_behind(const Graph& graph, const OutputPort& port) {
  const auto edge = std::ranges::find(graph.edges(), &port, &Graph::Edge::from);
  return edge != graph.edges().end() ? edge->capacity : Capacity{};
}

}  // namespace

std::vector<std::string> record_ports(Graph& graph, const RecordRequest& request) {
  std::vector<std::string> recorded;
  for (const std::string& asked : request.ports) {
    const OutputPort& port = find_port(graph, asked);
    const std::string name = fmt::format("{}.{}", graph.vertex_of(port.stage()).name, port.name());
    if (std::ranges::find(recorded, name) != recorded.end()) {
      continue;
    }
    DFLASH_USER_CHECK(port.type().serialize != nullptr,
                      "--record {}: items of type '{}' cannot be recorded: the type offers no 'serialize'", name,
                      port.type().name);
    const Capacity capacity = capacity_behind(graph, port);
    auto recorder = std::make_unique<ItemRecorder>(RecordedPort{.port = name, .type = std::string{port.type().name}},
                                                   port.type(), request.most_items);
    const InputPort& items = recorder->items;
    graph.add_stage(free_name(graph, name), ItemRecorder::info(), std::move(recorder));
    graph.connect_ports(port, items, capacity);
    recorded.push_back(name);
  }
  return recorded;
}

}  // namespace dflash
