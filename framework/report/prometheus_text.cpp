// SPDX-License-Identifier: Apache-2.0
#include "framework/report/prometheus_text.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace dflash {
namespace {

std::string value_text(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "+Inf" : "-Inf";
  }
  return fmt::format("{}", value);
}

std::string value_text(std::int64_t value) { return fmt::format("{}", value); }

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    switch (c) {
      case '\\':
        text += "\\\\";
        break;
      case '"':
        text += "\\\"";
        break;
      case '\n':
        text += "\\n";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string seconds_text(std::int64_t ns) { return value_text(static_cast<double>(ns) * 1e-9); }

constexpr const char* kCounter = "counter";
constexpr const char* kGauge = "gauge";

std::string head(std::string_view name, std::string_view type, std::string_view help) {
  return fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

std::string single(std::string_view name, std::string_view type, std::string_view help, const std::string& value) {
  return head(name, type, help) + fmt::format("{} {}\n", name, value);
}

/// A figure that each stage, edge or device has.
template <class Row>
struct Figure {
  const char* name;
  const char* type;
  const char* help;
  std::string (*value)(const Row& row);
};

/// All samples of a name stand together.
template <class Row, std::size_t kFigures>
std::string table(std::string_view label, const std::vector<Row>& rows,
                  const std::array<Figure<Row>, kFigures>& figures) {
  std::string text;
  for (const Figure<Row>& figure : figures) {
    text += rows.empty() ? "" : head(figure.name, figure.type, figure.help);
    for (const Row& row : rows) {
      text += fmt::format("{}{{{}=\"{}\"}} {}\n", figure.name, label, escaped(row.name), figure.value(row));
    }
  }
  return text;
}

std::string run_text(const LiveRun& run) {
  const ProgressSample& progress = run.progress;
  std::string text = head("dflash_run_info", kGauge, "What runs; always 1.");
  text += fmt::format("dflash_run_info{{graph=\"{}\",phase=\"{}\"}} 1\n", escaped(run.graph), phase_name(run.view));
  text += single("dflash_run_seconds", kGauge, "Time since the first firing.", value_text(progress.elapsed_s));
  text += single("dflash_steps_total", kCounter, "Optimiser steps completed, those before a resume included.",
                 value_text(progress.steps));
  if (progress.total_steps > 0) {
    text += single("dflash_steps_planned", kGauge, "Steps after which the run ends.", value_text(progress.total_steps));
  }
  return text;
}

std::string stages_text(const LiveView& view) {
  using F = Figure<LiveStage>;
  constexpr std::array kFigures{
      F{"dflash_stage_slots", kGauge, "Firings that may be under way at once.",
        [](const LiveStage& stage) { return value_text(stage.slots); }},
      F{"dflash_stage_firings_total", kCounter, "Firings that have ended.",
        [](const LiveStage& stage) { return value_text(stage.firings); }},
      F{"dflash_stage_busy_seconds_total", kCounter, "Time in bodies, that of firings under way included.",
        [](const LiveStage& stage) { return seconds_text(stage.busy_ns); }},
      F{"dflash_stage_blocked_seconds_total", kCounter,
        "Time waited for room on an output edge, of waits that are over.",
        [](const LiveStage& stage) { return seconds_text(stage.blocked_ns); }},
      F{"dflash_stage_starved_seconds_total", kCounter, "Time waited for an input, of waits that are over.",
        [](const LiveStage& stage) { return seconds_text(stage.starved_ns); }},
      F{"dflash_stage_gpu_wait_seconds_total", kCounter, "Time waited for the device, of waits that are over.",
        [](const LiveStage& stage) { return seconds_text(stage.gpu_wait_ns); }},
      F{"dflash_stage_dispatch_seconds_total", kCounter, "Time waited for a worker, of waits that are over.",
        [](const LiveStage& stage) { return seconds_text(stage.dispatch_ns); }},
      F{"dflash_stage_firing_slots", kGauge, "Slots with a firing under way.",
        [](const LiveStage& stage) { return value_text(stage.firing_slots); }},
      F{"dflash_stage_longest_firing_seconds", kGauge, "Age of the oldest firing under way.",
        [](const LiveStage& stage) { return seconds_text(stage.longest_ns); }},
      F{"dflash_stage_waiting_seconds", kGauge, "Time that the slots which wait have been waiting, added up.",
        [](const LiveStage& stage) { return seconds_text(stage.waiting_ns); }},
  };
  return table("stage", view.stages, kFigures);
}

std::string edges_text(const LiveView& view) {
  using F = Figure<LiveEdge>;
  constexpr std::array kFigures{
      F{"dflash_edge_items_total", kCounter, "Items sent to the edge, or put into the buffer of that name.",
        [](const LiveEdge& edge) { return value_text(edge.items); }},
      F{"dflash_edge_fill_items", kGauge, "Items inside.", [](const LiveEdge& edge) { return value_text(edge.fill); }},
      F{"dflash_edge_capacity_items", kGauge, "Items that fit.",
        [](const LiveEdge& edge) { return value_text(edge.capacity_items); }},
      F{"dflash_edge_dropped_items_total", kCounter, "Items dropped since the edge was full.",
        [](const LiveEdge& edge) { return value_text(edge.drops); }},
  };
  return table("edge", view.edges, kFigures);
}

std::string devices_text(const LiveView& view) {
  using F = Figure<LiveDevice>;
  constexpr std::array kFigures{
      F{"dflash_device_firings_total", kCounter, "Firings whose work on the device was done.",
        [](const LiveDevice& device) { return value_text(device.firings); }},
      F{"dflash_device_busy_seconds_total", kCounter, "Time with work of at least one firing under way.",
        [](const LiveDevice& device) { return seconds_text(device.busy_ns); }},
      F{"dflash_device_memory_bytes", kGauge, "Memory allocated.",
        [](const LiveDevice& device) { return value_text(device.memory_bytes); }},
      F{"dflash_device_memory_high_bytes", kGauge, "Most memory that was allocated at once.",
        [](const LiveDevice& device) { return value_text(device.memory_high_bytes); }},
      F{"dflash_device_allocations_total", kCounter, "Calls that asked the driver for memory.",
        [](const LiveDevice& device) { return value_text(device.allocations); }},
      F{"dflash_device_host_waits_total", kCounter, "Times that a firing's body made the host wait for the device.",
        [](const LiveDevice& device) { return value_text(device.host_waits); }},
  };
  return table("device", view.devices, kFigures);
}

/// Two metrics whose names differ only in what a name may not have: the first one is told.
std::string metrics_text(const std::map<std::string, double>& metrics) {
  std::map<std::string, std::pair<std::string, double>> by_name;
  for (const auto& [name, value] : metrics) {
    by_name.emplace(metric_name(name), std::pair{name, value});
  }
  std::string text;
  for (const auto& [name, metric] : by_name) {
    text += single(name, kGauge, fmt::format("The newest '{}' of the run.", escaped(metric.first)),
                   value_text(metric.second));
  }
  return text;
}

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string metric_name(std::string_view name) {
  std::string text = "dflash_metric_";
  for (const char c : name) {
    text += is_letter_or_digit(c) ? c : '_';
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kUnits{
      {{"_per_s", "_per_second"}, {"_s", "_seconds"}}};
  for (const auto& [unit, spelled] : kUnits) {
    if (text.ends_with(unit)) {
      return text.replace(text.size() - unit.size(), unit.size(), spelled);
    }
  }
  return text;
}

std::string prometheus_text(const LiveRun& run) {
  return run_text(run) + metrics_text(run.progress.metrics) + stages_text(run.view) + edges_text(run.view) +
         devices_text(run.view);
}

}  // namespace dflash
