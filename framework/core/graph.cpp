// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph.h"

#include <algorithm>

#include "framework/core/error.h"
#include "framework/core/flow_check.h"

namespace dflash {
namespace {

std::string port_name(const Graph& graph, const Port& port) {
  return fmt::format("{}.{}", graph.vertex_of(port.stage()).name, port.name());
}

bool has_edge_into(const std::vector<Graph::Edge>& edges, const InputPort* port) {
  return std::ranges::any_of(edges, [&](const Graph::Edge& edge) { return edge.to == port; });
}

bool has_edge_from(const std::vector<Graph::Edge>& edges, const OutputPort* port) {
  return std::ranges::any_of(edges, [&](const Graph::Edge& edge) { return edge.from == port; });
}

std::string joined(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("'{}'", fmt::join(names, "', '"));
}

void add_port_problems(const Graph& graph, std::vector<std::string>& found) {
  for (const Graph::Vertex& vertex : graph.vertices()) {
    for (const InputPort* port : vertex.stage->inputs()) {
      if (!has_edge_into(graph.edges(), port)) {
        found.push_back(fmt::format("input '{}.{}' ({}) has no edge; each input needs exactly one", vertex.name,
                                    port->name(), port->type().name));
      }
    }
    const bool is_buffer = dynamic_cast<const Buffer*>(vertex.stage.get()) != nullptr;
    if (is_buffer && (vertex.stage->inputs().size() != 1 || vertex.stage->outputs().size() != 1)) {
      found.push_back(fmt::format("stage '{}': a buffer has one input and one output, this one has {} and {}",
                                  vertex.name, vertex.stage->inputs().size(), vertex.stage->outputs().size()));
    }
  }
}

void add_stage_problems(const Graph& graph, std::vector<std::string>& found) {
  const auto& vertices = graph.vertices();
  if (std::ranges::none_of(vertices, [](const Graph::Vertex& vertex) { return vertex.stage->inputs().empty(); })) {
    found.emplace_back("the graph has no source: no stage without inputs");
  }
  std::vector<std::string> drivers;
  for (const Graph::Vertex& vertex : vertices) {
    if (vertex.info.drives_steps) {
      drivers.push_back(vertex.name);
    }
    for (const PlacementMistake& mistake : placement_mistakes(vertex.placement, vertex.info, *vertex.stage)) {
      found.push_back(fmt::format("stage '{}': {}", vertex.name, mistake.text));
    }
  }
  if (drivers.size() > 1) {
    found.push_back(fmt::format("the stages {} all drive steps; at most one may", joined(drivers)));
  }
}

}  // namespace

std::vector<PlacementMistake> placement_mistakes(const Placement& placement, const StageInfo& info,
                                                 const Stage& stage) {
  std::vector<PlacementMistake> found;
  if (!info.uses_device && !placement.device.empty() && placement.device != kHostDevice) {
    found.push_back({"device", fmt::format("found \"{}\", allowed: \"{}\", since stage type '{}' works on the host",
                                           placement.device, kHostDevice, info.type)});
  }
  if (info.stateless && !stage.inputs().empty()) {
    return found;
  }
  const std::string why = fmt::format("stage type '{}' keeps something between firings", info.type);
  if (placement.replicas != 1) {
    found.push_back({"replicas", fmt::format("found {}, allowed: 1, since {}", placement.replicas, why)});
  }
  if (placement.on_error.retry > 0 || placement.on_error.skip) {
    found.push_back({"on_error", fmt::format("allowed: only to stop, since {}", why)});
  }
  return found;
}

Stage& Graph::add_stage(std::string name, StageInfo info, std::unique_ptr<Stage> stage, Placement placement) {
  DFLASH_USER_CHECK(!name.empty(), "a stage of type '{}' has an empty name", info.type);
  DFLASH_USER_CHECK(find(name) == nullptr, "two stages are named '{}' (types '{}' and '{}')", name,
                    find(name)->info.type, info.type);
  DFLASH_CHECK(stage != nullptr, "stage '{}'", name);
  vertices_.push_back(Vertex{std::move(name), std::move(info), std::move(stage), std::move(placement)});
  return *vertices_.back().stage;
}

void Graph::keep_only(const std::string& name) {
  edges_.clear();
  std::erase_if(vertices_, [&](const Vertex& vertex) { return vertex.name != name; });
}

void Graph::connect_ports(const OutputPort& from, const InputPort& to, Capacity capacity, EdgeRules rules) {
  std::string name = fmt::format("{}->{}", port_name(*this, from), port_name(*this, to));
  DFLASH_USER_CHECK(from.type().name == to.type().name, "edge '{}': the output gives '{}', the input takes '{}'", name,
                    from.type().name, to.type().name);
  DFLASH_USER_CHECK(!has_edge_into(edges_, &to), "edge '{}': the input has an edge already", name);
  const std::optional<std::string> mistake = mistake_of(capacity, rules, from.type());
  DFLASH_USER_CHECK(!mistake, "edge '{}': {}", name, *mistake);
  edges_.push_back(Edge{.name = std::move(name),
                        .from = const_cast<OutputPort*>(&from),
                        .to = const_cast<InputPort*>(&to),
                        .capacity = capacity,
                        .rules = rules});
}

const Graph::Vertex* Graph::find(const std::string& name) const {
  const auto found = std::ranges::find(vertices_, name, &Vertex::name);
  return found == vertices_.end() ? nullptr : &*found;
}

const Graph::Vertex& Graph::vertex_of(const Stage& stage) const {
  const auto found =
      std::ranges::find_if(vertices_, [&](const Vertex& vertex) { return vertex.stage.get() == &stage; });
  DFLASH_CHECK(found != vertices_.end(), "the stage is not part of this graph");
  return *found;
}

std::vector<std::size_t> Graph::topological_order() const {
  std::vector<std::size_t> order = dependency_order(*this);
  DFLASH_CHECK(order.size() == vertices_.size(), "the graph has a cycle");
  return order;
}

std::vector<std::string> Graph::problems() const {
  std::vector<std::string> found;
  add_port_problems(*this, found);
  for (std::string& problem : flow_problems()) {
    found.push_back(std::move(problem));
  }
  return found;
}

std::vector<std::string> Graph::flow_problems() const {
  std::vector<std::string> found = flow_mistakes(*this);
  add_stage_problems(*this, found);
  return found;
}

std::vector<std::string> Graph::warnings() const {
  std::vector<std::string> found;
  for (const Vertex& vertex : vertices_) {
    for (const OutputPort* port : vertex.stage->outputs()) {
      if (!has_edge_from(edges_, port)) {
        found.push_back(fmt::format("output '{}.{}' ({}) has no edge; its items are dropped", vertex.name, port->name(),
                                    port->type().name));
      }
    }
  }
  for (std::string& warning : flow_warnings(*this)) {
    found.push_back(std::move(warning));
  }
  return found;
}

std::string device_of(const Graph::Vertex& vertex, const std::string& run_device) {
  if (!vertex.info.uses_device) {
    return std::string{kHostDevice};
  }
  return vertex.placement.device.empty() ? run_device : vertex.placement.device;
}

}  // namespace dflash
