// SPDX-License-Identifier: Apache-2.0
#include "framework/report/live_json.h"

#include <cmath>

#include "framework/report/seconds.h"

namespace dflash {
namespace {

Json stage_json(const LiveStage& stage) {
  return {{"name", stage.name},
          {"type", stage.type},
          {"slots", stage.slots},
          {"firings", stage.firings},
          {"busy_s", seconds(stage.busy_ns)},
          {"blocked_out_s", seconds(stage.blocked_ns)},
          {"starved_in_s", seconds(stage.starved_ns)},
          {"gpu_wait_s", seconds(stage.gpu_wait_ns)},
          {"dispatch_s", seconds(stage.dispatch_ns)},
          {"firing_slots", stage.firing_slots},
          {"longest_s", seconds(stage.longest_ns)},
          {"waiting_slots", stage.waiting_slots},
          {"waiting_s", seconds(stage.waiting_ns)},
          {"lacks", lack_name(stage.lacks)}};
}

Json edge_json(const LiveView& view, const LiveEdge& edge) {
  return {{"name", edge.name},
          {"from", view.stages.at(edge.from_stage).name},
          {"to", view.stages.at(edge.to_stage).name},
          {"is_buffer", edge.is_buffer},
          {"capacity_items", edge.capacity_items},
          {"items", edge.items},
          {"fill", edge.fill},
          {"is_full", edge.is_full},
          {"drops", edge.drops}};
}

Json device_json(const LiveDevice& device) {
  return {{"name", device.name},
          {"firings", device.firings},
          {"busy_s", seconds(device.busy_ns)},
          {"memory_bytes", device.memory_bytes},
          {"memory_high_bytes", device.memory_high_bytes},
          {"allocations", device.allocations},
          {"host_waits", device.host_waits}};
}

/// What the run is measured by, and how much of it is done.
Json progress_json(const ProgressSample& sample) {
  const WorkDone extent = extent_of(sample);
  const std::optional<double> left = seconds_left(sample);
  return {{"unit", extent.unit},
          {"done", extent.done},
          {"total", extent.total > 0 ? Json(extent.total) : Json(nullptr)},
          {"first", extent.first},
          {"left_s", left ? Json(*left) : Json(nullptr)}};
}

Json metrics_json(const ProgressSample& sample) {
  Json metrics = Json::object();
  for (const auto& [name, value] : sample.metrics) {
    metrics[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  }
  return metrics;
}

/// Null while the run goes on.
Json end_json(const std::optional<LiveEnd>& end) {
  if (!end) {
    return nullptr;
  }
  return {
      {"code", end->outcome.code}, {"text", end->outcome.text}, {"verdict", end->verdict}, {"run_dir", end->run_dir}};
}

}  // namespace

Json live_json(const LiveRun& run) {
  Json json{{"schema", kLiveSchema},
            {"graph", run.graph},
            {"phase", run.end ? "ended" : phase_name(run.view)},
            {"outcome", end_json(run.end)},
            {"activity", run.activity},
            {"elapsed_s", run.progress.elapsed_s},
            {"wall_s", seconds(run.view.wall_ns)},
            {"steps", run.progress.steps},
            {"progress", progress_json(run.progress)},
            {"metrics", metrics_json(run.progress)},
            {"stages", Json::array()},
            {"edges", Json::array()},
            {"devices", Json::array()}};
  for (const LiveStage& stage : run.view.stages) {
    json["stages"].push_back(stage_json(stage));
  }
  for (const LiveEdge& edge : run.view.edges) {
    json["edges"].push_back(edge_json(run.view, edge));
  }
  for (const LiveDevice& device : run.view.devices) {
    json["devices"].push_back(device_json(device));
  }
  return json;
}

}  // namespace dflash
