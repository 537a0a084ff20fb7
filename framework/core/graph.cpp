// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph.h"

#include <algorithm>
#include <unordered_map>

#include "framework/core/error.h"

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

/// The edges as pairs of positions in `vertices()`.
using Links = std::vector<std::pair<std::size_t, std::size_t>>;

Links links_of(const Graph& graph) {
  std::unordered_map<const Stage*, std::size_t> position;
  for (std::size_t i = 0; i < graph.vertices().size(); ++i) {
    position[graph.vertices()[i].stage.get()] = i;
  }
  Links links;
  for (const Graph::Edge& edge : graph.edges()) {
    links.emplace_back(position.at(&edge.from->stage()), position.at(&edge.to->stage()));
  }
  return links;
}

/// Positions in dependency order; what lies on a cycle, or behind one, is missing.
std::vector<std::size_t> order_without_cycles(std::size_t vertices, const Links& links) {
  std::vector<std::size_t> open_inputs(vertices, 0);
  std::vector<std::vector<std::size_t>> successors(vertices);
  for (const auto& [from, to] : links) {
    ++open_inputs[to];
    successors[from].push_back(to);
  }
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

Links reversed(const Links& links) {
  Links turned;
  for (const auto& [from, to] : links) {
    turned.emplace_back(to, from);
  }
  return turned;
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

/// A vertex that neither order reaches, forwards or backwards, lies on a cycle or between two.
void add_cycle_problem(const Graph& graph, std::vector<std::string>& found) {
  const Links links = links_of(graph);
  std::vector<bool> cyclic(graph.vertices().size(), true);
  for (const Links& direction : {links, reversed(links)}) {
    for (const std::size_t position : order_without_cycles(cyclic.size(), direction)) {
      cyclic[position] = false;
    }
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (cyclic[links[i].first] && cyclic[links[i].second]) {
      names.push_back(graph.edges()[i].name);
    }
  }
  if (!names.empty()) {
    found.push_back(fmt::format("the edges {} form a cycle; a graph must flow one way", joined(names)));
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
    if (vertex.placement.replicas != 1) {
      found.push_back(
          fmt::format("stage '{}': replicas is {}; only 1 is supported", vertex.name, vertex.placement.replicas));
    }
  }
  if (drivers.size() > 1) {
    found.push_back(fmt::format("the stages {} all drive steps; at most one may", joined(drivers)));
  }
}

}  // namespace

Stage& Graph::add_stage(std::string name, StageInfo info, std::unique_ptr<Stage> stage, Placement placement) {
  DFLASH_USER_CHECK(!name.empty(), "a stage of type '{}' has an empty name", info.type);
  DFLASH_USER_CHECK(find(name) == nullptr, "two stages are named '{}' (types '{}' and '{}')", name,
                    find(name)->info.type, info.type);
  DFLASH_CHECK(stage != nullptr, "stage '{}'", name);
  vertices_.push_back(Vertex{std::move(name), std::move(info), std::move(stage), std::move(placement)});
  return *vertices_.back().stage;
}

void Graph::connect_ports(const OutputPort& from, const InputPort& to, Capacity capacity) {
  std::string name = fmt::format("{}->{}", port_name(*this, from), port_name(*this, to));
  DFLASH_USER_CHECK(from.type().name == to.type().name, "edge '{}': the output gives '{}', the input takes '{}'", name,
                    from.type().name, to.type().name);
  DFLASH_USER_CHECK(!has_edge_into(edges_, &to), "edge '{}': the input has an edge already", name);
  DFLASH_USER_CHECK(capacity.items >= 1, "edge '{}': capacity in items is {}; at least 1", name, capacity.items);
  DFLASH_USER_CHECK(!capacity.bytes || *capacity.bytes >= 1, "edge '{}': capacity in bytes is {}; at least 1", name,
                    *capacity.bytes);
  DFLASH_USER_CHECK(!capacity.bytes || from.type().bytes != nullptr,
                    "edge '{}': a capacity in bytes is given, but items of type '{}' do not say their bytes", name,
                    from.type().name);
  edges_.push_back(Edge{std::move(name), const_cast<OutputPort*>(&from), const_cast<InputPort*>(&to), capacity});
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
  std::vector<std::size_t> order = order_without_cycles(vertices_.size(), links_of(*this));
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
  std::vector<std::string> found;
  add_cycle_problem(*this, found);
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
  return found;
}

}  // namespace dflash
