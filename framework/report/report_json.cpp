// SPDX-License-Identifier: Apache-2.0
#include "framework/report/report_json.h"

#include <array>

#include "framework/report/seconds.h"
#include "framework/report/throughput_bound.h"

namespace dflash {
namespace {

Json spans_json(const StageRecord& stage) {
  Json spans = Json::object();
  for (const SpanRecord& span : stage.spans) {
    spans[span.name] = seconds(span.ns);
  }
  return spans;
}

Json device_spans_json(const StageRecord& stage) {
  Json spans = Json::object();
  for (const SpanRecord& span : stage.spans) {
    if (span.device_ns > 0) {
      spans[span.name] = seconds(span.device_ns);
    }
  }
  return spans;
}

/// Null where the stage did not work on a device.
Json device_seconds(const StageRecord& stage, std::int64_t ns) {
  return stage.device_firings > 0 ? Json(seconds(ns)) : Json(nullptr);
}

Json device_json(const DeviceRecord& device) {
  return {{"name", device.name},
          {"firings", device.firings},
          {"busy_s", seconds(device.busy_ns)},
          {"span_s", seconds(device.span_ns)},
          {"memory_high_bytes", device.memory_high_bytes},
          {"allocations", device.allocations},
          {"frees", device.frees},
          {"maps", device.maps},
          {"unmaps", device.unmaps},
          {"host_waits", device.host_waits}};
}

Json stage_json(const StageRecord& stage) {
  return {{"name", stage.name},
          {"type", stage.type},
          {"lane", stage.lane},
          {"firings", stage.firings},
          {"slots", stage.slots},
          {"busy_s", seconds(stage.busy_ns)},
          {"blocked_out_s", seconds(stage.blocked_out_ns)},
          {"starved_in_s", seconds(stage.starved_in_ns)},
          {"gpu_wait_s", seconds(stage.gpu_wait_ns)},
          {"dispatch_s", seconds(stage.dispatch_ns)},
          {"ended_s", seconds(stage.ended_ns)},
          {"unaccounted_s", seconds(stage.unaccounted_ns)},
          {"p50_s", seconds(stage.service.quantile(0.5))},
          {"p90_s", seconds(stage.service.quantile(0.9))},
          {"p99_s", seconds(stage.service.quantile(0.99))},
          {"max_s", seconds(stage.service.max())},
          {"device_firings", stage.device_firings},
          {"launch_s", device_seconds(stage, stage.busy_ns - stage.between_ns)},
          {"gpu_queue_s", device_seconds(stage, stage.gpu_queue_ns)},
          {"hidden_launch_s", device_seconds(stage, stage.hidden_launch_ns)},
          {"gpu_in_work_s", device_seconds(stage, stage.gpu_in_work_ns)},
          {"gpu_lag_s", device_seconds(stage, stage.gpu_lag_ns)},
          {"gpu_span_s", device_seconds(stage, stage.gpu_span.sum())},
          {"spans", spans_json(stage)},
          {"gpu_spans", device_spans_json(stage)},
          {"drain_s", seconds(stage.drain_ns)},
          {"between_steps_s", seconds(stage.between_ns)},
          {"counters", stage.counters}};
}

/// Empty where there is no such stage.
std::string stage_name(const RunRecord& record, std::size_t stage) {
  return stage < record.stages.size() ? record.stages[stage].name : "";
}

Json edge_json(const RunRecord& record, const EdgeRecord& edge) {
  return {{"name", edge.name},
          {"from", stage_name(record, edge.from_stage)},
          {"to", stage_name(record, edge.to_stage)},
          {"is_buffer", edge.is_buffer},
          {"capacity_items", edge.capacity_items},
          {"capacity_bytes", edge.capacity_bytes ? Json(*edge.capacity_bytes) : Json(nullptr)},
          {"items", edge.items},
          {"bytes", edge.bytes},
          {"mean_fill", edge.mean_fill},
          {"max_fill", edge.max_fill},
          {"full_s", seconds(edge.full_ns)},
          {"empty_s", seconds(edge.empty_ns)},
          {"residence_p50_s", seconds(edge.residence.quantile(0.5))},
          {"residence_p99_s", seconds(edge.residence.quantile(0.99))},
          {"drops", edge.drops},
          {"oversize", edge.oversize},
          {"abandoned", edge.abandoned}};
}

Json lane_json(const RunRecord& record, const LaneRecord& lane) {
  std::int64_t busy = 0;
  std::int64_t dispatch = 0;
  for (const StageRecord& stage : record.stages) {
    if (stage.lane == lane.name) {
      busy += stage.busy_ns;
      dispatch += stage.dispatch_ns;
    }
  }
  return {{"name", lane.name}, {"workers", lane.workers}, {"busy_s", seconds(busy)}, {"dispatch_s", seconds(dispatch)}};
}

Json checks_json(const std::vector<SelfCheck>& checks) {
  Json list = Json::array();
  for (const SelfCheck& check : checks) {
    list.push_back({{"name", check.name}, {"ok", check.ok}, {"value", check.value}, {"limit", check.limit}});
  }
  return list;
}

Json path_json(const PathLatency& path) {
  constexpr std::array kKinds{"firing", "device", "waiting"};
  Json parts = Json::array();
  for (const PathPart& part : path.parts) {
    parts.push_back(
        {{"kind", kKinds[static_cast<std::size_t>(part.kind)]}, {"name", part.name}, {"mean_s", part.mean_ns * 1e-9}});
  }
  return {{"stages", path.stages},
          {"items", path.total.count()},
          {"p50_s", seconds(path.total.quantile(0.5))},
          {"p99_s", seconds(path.total.quantile(0.99))},
          {"parts", std::move(parts)}};
}

/// With the stage or lane whose bound it is.
Json throughput_json(const ThroughputBound& bound) {
  Json json{{"unit", bound.unit}, {"achieved", bound.achieved}, {"bound", bound.bound}, {"gap", bound.gap}};
  if (!bound.limits.empty()) {
    json["limit"] = bound.limits.front().name;
    json["limit_kind"] = bound.limits.front().is_lane ? "lane" : "stage";
  }
  return json;
}

/// What the stamps of all firings cost, as far as that can be told afterwards.
Json instrumentation_json(const RunRecord& record) {
  const double cost = seconds(record.firings() * record.stamp_cost_ns);
  return {{"firings", record.firings()},
          {"stamp_cost_s", seconds(record.stamp_cost_ns)},
          {"share", record.wall_ns > 0 ? cost / seconds(record.wall_ns) : 0.0}};
}

}  // namespace

Json report_json(const RunReport& report) {
  const RunRecord& record = report.record;
  Json json = Json::object();
  json["schema"] = kReportSchema;
  json["graph"] = report.graph_name;
  json["outcome"] = {{"code", record.outcome.code}, {"text", record.outcome.text}};
  json["wall_s"] = seconds(record.wall_ns);
  json["total_s"] = report.total_s;
  json["steps"] = record.steps;
  json["verdict"] = verdict_json(report.verdict);
  json["throughput"] = throughput_json(throughput_bound(record));
  json["stages"] = Json::array();
  for (const StageRecord& stage : record.stages) {
    json["stages"].push_back(stage_json(stage));
    if (const auto planted = report.planted.find(stage.name); planted != report.planted.end()) {
      json["stages"].back()["planted"] = planted->second;
    }
  }
  json["edges"] = Json::array();
  for (const EdgeRecord& edge : record.edges) {
    json["edges"].push_back(edge_json(record, edge));
  }
  json["paths"] = Json::array();
  for (const PathLatency& path : report.paths) {
    json["paths"].push_back(path_json(path));
  }
  json["devices"] = Json::array();
  for (const DeviceRecord& device : record.devices) {
    json["devices"].push_back(device_json(device));
  }
  json["lanes"] = Json::array();
  for (const LaneRecord& lane : record.lanes) {
    json["lanes"].push_back(lane_json(record, lane));
  }
  json["what_if"] = Json::array();
  for (const StageGain& gain : report.gains) {
    json["what_if"].push_back({{"stage", gain.stage}, {"speedup", gain.speedup}, {"times_as_fast", gain.gain}});
  }
  json["self_checks"] = checks_json(report.checks);
  json["instrumentation"] = instrumentation_json(record);
  json["training"] = Json::object();
  for (const auto& [section, values] : report.summaries.items()) {
    json[section].update(values);
  }
  json["errors"] = record.errors;
  json["provenance"] = report.provenance;
  return json;
}

}  // namespace dflash
