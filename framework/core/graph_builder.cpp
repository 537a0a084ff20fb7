// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_builder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "framework/core/graph_keys.h"
#include "framework/core/inject.h"
#include "framework/core/nearest_name.h"
#include "framework/core/param_section.h"
#include "framework/core/placement_text.h"
#include "framework/core/run_settings.h"

namespace dflash {
namespace {

template <class P>
const P* find_port(const std::vector<P*>& ports, const std::string& name) {
  const auto found = std::ranges::find_if(ports, [&](const P* port) { return port->name() == name; });
  return found == ports.end() ? nullptr : *found;
}

template <class P>
std::vector<std::string> names_of(const std::vector<P*>& ports) {
  std::vector<std::string> names;
  names.reserve(ports.size());
  for (const P* port : ports) {
    names.push_back(port->name());
  }
  return names;
}

}  // namespace

void GraphBuilder::check_name(const std::string& name, const JsonSpot& spot) {
  if (!is_name(name)) {
    diagnostics_.add(spot.key_place(), spot.pointer(),
                     fmt::format("found the stage name '{}', allowed: letters, digits, '_' and '-'", name));
  } else if (std::ranges::find(kReservedNames, name) != kReservedNames.end()) {
    diagnostics_.add(spot.key_place(), spot.pointer(),
                     fmt::format("a stage cannot be named '{}': the names run, vars and models are reserved", name));
  }
}

void GraphBuilder::add_stages(const JsonSpot& stages) {
  if (!check_object(stages, "an object of stages by name", diagnostics_)) {
    all_made_ = false;
    return;
  }
  Json resolved = Json::object();
  for (const auto& [name, spot] : stages.members()) {
    if (diagnostics_.full()) {
      return;
    }
    names_.push_back(name);
    stages_[name] = nullptr;
    check_name(name, spot);
    add_stage(name, spot);
    if (stages_[name] == nullptr) {
      all_made_ = false;
    } else {
      resolved.get_ref<Json::object_t&>().emplace_back(name, resolved_stage(graph_.vertices().back(), spot));
    }
  }
  resolved_.put("stages", std::move(resolved));
}

std::optional<std::string> GraphBuilder::type_of(const std::string& name, const JsonSpot& spot) {
  // An overlay that misspells a stage adds one behind all others.
  const std::string meant = spot.find("type") ? "" : nearest_name(name, {names_.begin(), names_.end() - 1});
  if (!meant.empty()) {
    diagnostics_.add(
        spot.key_place(), spot.pointer(),
        fmt::format("unknown stage '{}'; did you mean '{}'? A new stage needs the key 'type'", name, meant));
    return std::nullopt;
  }
  return required_string(spot, "type", diagnostics_);
}

void GraphBuilder::add_stage(const std::string& name, const JsonSpot& spot) {
  if (!check_object(spot, R"(an object with the key "type")", diagnostics_)) {
    return;
  }
  check_keys(spot, kStageKeys, diagnostics_);
  Placement placement = read_placement(spot, diagnostics_);
  const std::optional<std::string> type = type_of(name, spot);
  const Catalog::Entry* entry = type ? catalog_.find(*type) : nullptr;
  if (entry == nullptr) {
    if (type) {
      const auto at = *spot.find("type");
      diagnostics_.add_unknown(at.place(), at.pointer(), "stage type", *type, catalog_.type_names());
    }
    return;
  }
  std::unique_ptr<Stage> stage = entry->make();
  if (const auto params = spot.find("params")) {
    read_params(*params, *stage, fmt::format("stage type '{}'", *type), diagnostics_);
  } else {
    check_required(*stage, std::nullopt, spot, diagnostics_);
  }
  if (const auto inject = spot.find("inject")) {
    placement.inject = read_inject(*inject, *stage, diagnostics_);
  }
  for (const PlacementMistake& mistake : placement_mistakes(placement, entry->info, *stage)) {
    const JsonSpot at = *spot.find(mistake.key);
    diagnostics_.add(at.place(), at.pointer(), mistake.text);
    placement.replicas = 1;
    placement.on_error = {};
    placement.device.clear();
  }
  if (!name.empty()) {
    stages_[name] = &graph_.add_stage(name, entry->info, std::move(stage), std::move(placement));
  }
}

Json GraphBuilder::resolved_stage(const Graph::Vertex& vertex, const JsonSpot& spot) {
  Json stage{{"type", vertex.info.type}};
  resolved_.note_origin(spot.pointer() + "/type", spot.find("type")->place());
  stage["params"] = write_params(*vertex.stage, spot.find("params"), spot.pointer() + "/params", resolved_);
  const auto replicas = spot.find("replicas");
  stage["replicas"] = vertex.placement.replicas;
  resolved_.note_origin(spot.pointer() + "/replicas", replicas ? replicas->place() : "default");
  for (const char* key : {"device", "lane"}) {
    if (const auto word = spot.find(key)) {
      stage[key] = word->value();
      resolved_.note_origin(word->pointer(), word->place());
    }
  }
  const auto put_if_given = [&](const char* key, const ParamSet& params) {
    if (const auto given = spot.find(key)) {
      Diagnostics told_already;
      read_params(*given, params, key, told_already);
      stage[key] = write_params(params, given, given->pointer(), resolved_);
    }
  };
  const InjectParams inject;
  put_if_given("inject", inject);
  const ErrorPolicyParams on_error;
  put_if_given("on_error", on_error);
  return stage;
}

void GraphBuilder::add_edges(const JsonSpot& edges) {
  if (!edges.value().is_array()) {
    diagnostics_.add(edges.place(), edges.pointer(), found_text(edges.value(), "a list of edges"));
    all_made_ = false;
    return;
  }
  Json resolved = Json::array();
  for (const JsonSpot& spot : edges.items()) {
    if (diagnostics_.full()) {
      return;
    }
    add_edge(spot, resolved);
  }
  resolved_.put("edges", std::move(resolved));
}

void GraphBuilder::add_edge(const JsonSpot& spot, Json& resolved) {
  const std::optional<EdgeText> edge = read_edge(spot, diagnostics_);
  if (!edge) {
    all_made_ = false;
    return;
  }
  connect(*edge, spot);
  Json written{{"from", fmt::format("{}.{}", edge->from.stage, edge->from.port)},
               {"to", fmt::format("{}.{}", edge->to.stage, edge->to.port)},
               {"capacity", {{"items", edge->capacity.items}}}};
  const auto capacity = spot.find("capacity");
  const auto items = capacity && capacity->value().is_object() ? capacity->find("items") : capacity;
  resolved_.note_origin(spot.pointer(), spot.place());
  resolved_.note_origin(spot.pointer() + "/capacity/items", items ? items->place() : "default");
  if (edge->capacity.bytes) {
    written["capacity"]["bytes"] = *edge->capacity.bytes;
    resolved_.note_origin(spot.pointer() + "/capacity/bytes", capacity->find("bytes")->place());
  }
  EdgeParams rules;
  rules.when_full.set(edge->rules.when_full);
  rules.feedback.set(edge->rules.feedback);
  rules.initial.set(edge->rules.initial);
  written.update(
      write_params(rules, spot.value().is_object() ? std::optional{spot} : std::nullopt, spot.pointer(), resolved_));
  resolved.push_back(std::move(written));
}

void GraphBuilder::connect(const EdgeText& edge, const JsonSpot& spot) {
  const OutputPort* from = find_output(edge.from, spot);
  const InputPort* to = find_input(edge.to, spot);
  if (to == nullptr) {
    with_lost_edge_.insert(edge.to.stage);
    return;
  }
  const auto [first, is_new] = fed_.emplace(to, spot.place());
  const std::string from_name = fmt::format("{}.{}", edge.from.stage, edge.from.port);
  const std::string to_name = fmt::format("{}.{}", edge.to.stage, edge.to.port);
  if (!is_new) {
    diagnostics_.add(
        spot.place(), spot.pointer(),
        fmt::format("input '{}' has an edge already, at {}; each input takes one", to_name, first->second));
  }
  if (from != nullptr && from->type().name != to->type().name) {
    diagnostics_.add(spot.place(), spot.pointer(),
                     fmt::format("output '{}' gives '{}', but input '{}' takes '{}'", from_name, from->type().name,
                                 to_name, to->type().name));
  } else if (const auto mistake =
                 from != nullptr ? mistake_of(edge.capacity, edge.rules, from->type()) : std::nullopt) {
    diagnostics_.add(spot.place(), spot.pointer(), *mistake);
  } else if (from != nullptr && is_new) {
    graph_.connect_ports(*from, *to, edge.capacity, edge.rules);
  }
}

const Stage* GraphBuilder::find_stage(const PortName& name, const JsonSpot& spot) {
  const auto found = stages_.find(name.stage);
  if (found == stages_.end()) {
    diagnostics_.add_unknown(spot.place(), spot.pointer(), "stage", name.stage, names_);
    return nullptr;
  }
  return found->second;
}

const OutputPort* GraphBuilder::find_output(const PortName& name, const JsonSpot& spot) {
  const Stage* stage = find_stage(name, spot);
  const OutputPort* port = stage != nullptr ? find_port(stage->outputs(), name.port) : nullptr;
  if (stage != nullptr && port == nullptr) {
    const auto what = fmt::format("output of stage '{}' (type '{}'):", name.stage, graph_.vertex_of(*stage).info.type);
    diagnostics_.add_unknown(spot.place(), spot.pointer(), what, name.port, names_of(stage->outputs()));
  }
  return port;
}

const InputPort* GraphBuilder::find_input(const PortName& name, const JsonSpot& spot) {
  const Stage* stage = find_stage(name, spot);
  const InputPort* port = stage != nullptr ? find_port(stage->inputs(), name.port) : nullptr;
  if (stage != nullptr && port == nullptr) {
    const auto what = fmt::format("input of stage '{}' (type '{}'):", name.stage, graph_.vertex_of(*stage).info.type);
    diagnostics_.add_unknown(spot.place(), spot.pointer(), what, name.port, names_of(stage->inputs()));
  }
  return port;
}

void GraphBuilder::check_structure(const JsonSpot& stages) {
  for (const Graph::Vertex& vertex : graph_.vertices()) {
    for (const InputPort* port : vertex.stage->inputs()) {
      const bool lost = with_lost_edge_.contains(vertex.name);
      if (!fed_.contains(port) && !lost && !diagnostics_.full()) {
        const auto spot = *stages.find(vertex.name);
        diagnostics_.add(spot.key_place(), spot.pointer(),
                         fmt::format("input '{}.{}' ('{}') has no edge; each input needs exactly one", vertex.name,
                                     port->name(), port->type().name));
      }
    }
  }
  if (all_made_) {
    for (const std::string& problem : graph_.flow_problems()) {
      diagnostics_.add(stages.key_place(), "", problem);
    }
  }
}

}  // namespace dflash
