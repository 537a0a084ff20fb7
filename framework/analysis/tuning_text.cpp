// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/tuning_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/analysis/baseline.h"
#include "framework/core/json_syntax.h"
#include "framework/report/number_text.h"
#include "framework/report/seconds.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr std::size_t kWidestName = 60;
constexpr std::size_t kColumns = 120;

std::string bytes_cell(std::int64_t bytes) { return bytes > 0 ? bytes_text(bytes) : "-"; }

/// Less room may change the order of things for the better by a hair; that is no more throughput than with all of it.
std::string throughput_text(const Tuning& tuning, std::int64_t wall_ns) {
  return percent_text(std::min(
      static_cast<double>(tuning.unlimited_ns) / static_cast<double>(std::max<std::int64_t>(wall_ns, 1)), 1.0));
}

const TunedCapacity* capacity_of(const Tuning& tuning, const std::string& name, bool is_buffer) {
  const auto found = std::ranges::find_if(tuning.capacities, [&](const TunedCapacity& capacity) {
    return capacity.name == name && capacity.is_buffer == is_buffer;
  });
  return found == tuning.capacities.end() ? nullptr : &*found;
}

std::string edge_name(const Json& edge) {
  return edge.at("from").get<std::string>() + "->" + edge.at("to").get<std::string>();
}

}  // namespace

Json tuning_overlay(const Tuning& tuning, const Json& graph) {
  Json overlay = Json::object();
  overlay["edges"] = graph.at("edges");
  for (Json& edge : overlay["edges"]) {
    if (const TunedCapacity* capacity = capacity_of(tuning, edge_name(edge), false)) {
      edge["capacity"]["items"] = capacity->advised;
    }
  }
  for (const TunedCapacity& capacity : tuning.capacities) {
    if (capacity.is_buffer) {
      overlay["stages"][capacity.name]["params"]["capacity"] = capacity.advised;
    }
  }
  return overlay;
}

TuningLimits limits_in(const Json& graph) {
  TuningLimits limits;
  for (const Json& edge : graph.at("edges")) {
    const Json& capacity = edge.at("capacity");
    if (capacity.contains("bytes")) {
      limits.most_bytes[edge_name(edge)] = whole_number(capacity.at("bytes"));
    }
  }
  for (const auto& [name, stage] : graph.at("stages").items()) {
    const Json& params = stage.value("params", Json::object());
    if (const auto bytes = params.find("capacity_bytes"); bytes != params.end() && bytes->is_number()) {
      limits.most_bytes[name] = whole_number(*bytes);
    }
  }
  return limits;
}

std::string tuning_text(const Tuning& tuning) {
  TextTable table{{{"edge or buffer", TextTable::kLeft}, {"recorded"}, {"advised"}, {"item"}, {"holds at most"}}};
  for (const TunedCapacity& capacity : tuning.capacities) {
    table.row({shortened(capacity.name, kWidestName), std::to_string(capacity.recorded),
               std::to_string(capacity.advised), bytes_cell(capacity.item_bytes),
               bytes_cell(capacity.bytes_of(capacity.advised))});
  }
  std::string text = table.text(2);
  if (tuning.replayed_since_ns > 0) {
    text += fmt::format("The replay begins {} after the run, since older events are no longer kept.\n",
                        duration_text(static_cast<double>(tuning.replayed_since_ns)));
  }
  const std::string budget =
      tuning.budget_bytes ? fmt::format(", allowed: {}", bytes_text(*tuning.budget_bytes)) : std::string{};
  text += wrapped(
      "",
      fmt::format("Of the throughput with unlimited room, the recorded capacities have {}, the advised ones {}{}. "
                  "They hold at most {} (the recorded ones {}{}). {}",
                  throughput_text(tuning, tuning.wall_ns), throughput_text(tuning, tuning.advised_ns),
                  tuning.keeps_throughput ? "" : ": the budget forbids more", bytes_text(tuning.advised_bytes()),
                  bytes_text(tuning.recorded_bytes()), budget, baseline_text(tuning.baseline_error)),
      kColumns);
  return text;
}

Json tuning_json(const Tuning& tuning) {
  Json capacities = Json::array();
  for (const TunedCapacity& capacity : tuning.capacities) {
    capacities.push_back({{"name", capacity.name},
                          {"is_buffer", capacity.is_buffer},
                          {"recorded_items", capacity.recorded},
                          {"advised_items", capacity.advised},
                          {"item_bytes", capacity.item_bytes},
                          {"most_bytes", capacity.most_bytes ? Json(*capacity.most_bytes) : Json(nullptr)}});
  }
  return {{"baseline_error", tuning.baseline_error},
          {"capacities", capacities},
          {"replayed_wall_s", seconds(tuning.wall_ns)},
          {"unlimited_wall_s", seconds(tuning.unlimited_ns)},
          {"advised_wall_s", seconds(tuning.advised_ns)},
          {"recorded_bytes", tuning.recorded_bytes()},
          {"advised_bytes", tuning.advised_bytes()},
          {"budget_bytes", tuning.budget_bytes ? Json(*tuning.budget_bytes) : Json(nullptr)},
          {"keeps_throughput", tuning.keeps_throughput},
          {"replayed_since_s", seconds(tuning.replayed_since_ns)}};
}

}  // namespace dflash
