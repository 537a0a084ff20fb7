// SPDX-License-Identifier: Apache-2.0
#include "framework/report/page_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/core/json_syntax.h"
#include "framework/report/graph_layers.h"
#include "framework/report/latency_buckets.h"
#include "framework/report/metric_series.h"
#include "framework/report/report_json.h"
#include "framework/report/seconds.h"
#include "framework/report/step_breakdown.h"
#include "framework/report/time_series.h"
#include "framework/telemetry/whole_since.h"

namespace dflash {
namespace {

constexpr std::size_t kMostBins = 240;
constexpr std::size_t kFewestBins = 24;
constexpr std::size_t kMostBinsOfAll = 16'000;
constexpr std::size_t kMostBuckets = 36;
constexpr std::size_t kMostStepGroups = 160;
constexpr std::size_t kMostPoints = 300;
constexpr std::size_t kMostMetrics = 80;

constexpr std::array<const char*, kSlotStates> kStateKeys{"busy", "gpu_wait", "blocked_out", "starved_in", "dispatch"};

/// Six digits are more than a picture shows, and short in JSON. Null where it is no number.
Json rounded(double value) {
  return std::isfinite(value) ? Json(std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr)) : Json(nullptr);
}

Json rounded_seconds(double ns) { return rounded(ns * 1e-9); }

template <class List, class Convert>
Json listed(const List& list, const Convert& convert) {
  Json json = Json::array();
  for (const auto& value : list) {
    json.push_back(convert(value));
  }
  return json;
}

Json graph_data(const Json& report) {
  std::map<std::string, std::size_t> index;
  for (const Json& stage : report.at("stages")) {
    index.emplace(stage.at("name").get<std::string>(), index.size());
  }
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  Json edges = Json::array();
  for (const Json& edge : report.at("edges")) {
    const auto from = index.find(edge.value("from", ""));
    const auto to = index.find(edge.value("to", ""));
    if (edge.value("is_buffer", false) || from == index.end() || to == index.end()) {
      continue;
    }
    ends.emplace_back(from->second, to->second);
    edges.push_back({{"name", edge.at("name")}, {"from", from->second}, {"to", to->second}});
  }
  const Json stages = listed(graph_layers(report.at("stages").size(), ends),
                             [](const LayerPlace& place) { return Json{{"layer", place.layer}, {"row", place.row}}; });
  return {{"stages", stages}, {"edges", edges}};
}

Json state_data(const StageTimeline& stage, const StateSeries& series, const TimeBins& bins) {
  Json json{{"name", stage.name}};
  for (std::size_t state = 0; state < kSlotStates; ++state) {
    const std::vector<std::int64_t>& ns = series.at(state);
    if (std::all_of(ns.begin(), ns.end(), [](std::int64_t part) { return part == 0; })) {
      continue;
    }
    Json& permille = json[kStateKeys.at(state)] = Json::array();
    for (std::size_t bin = 0; bin < ns.size(); ++bin) {
      const double whole = static_cast<double>(bins.length(bin)) * static_cast<double>(stage.slots);
      permille.push_back(std::llround(static_cast<double>(ns[bin]) / whole * 1000.0));
    }
  }
  return json;
}

Json fill_data(const std::string& name, const std::vector<ItemEvent>& items, const TimeBins& bins) {
  const FillSeries series = fill_over_time(items, bins);
  return {{"name", name},
          {"mean", listed(series.mean, [](double fill) { return std::round(fill * 100.0) / 100.0; })},
          {"max", series.max}};
}

bool has_events(const Timeline& timeline) {
  return timeline.wall_ns > whole_since(timeline) &&
         std::any_of(timeline.stages.begin(), timeline.stages.end(),
                     [](const StageTimeline& stage) { return !stage.firings.empty(); });
}

bool is_buffer(const Timeline& timeline, std::size_t stage) {
  return std::any_of(timeline.buffers.begin(), timeline.buffers.end(),
                     [&](const BufferTimeline& buffer) { return buffer.stage == stage; });
}

Json time_data(const Timeline& timeline) {
  const std::size_t series = timeline.stages.size() + timeline.edges.size() + timeline.buffers.size();
  const std::size_t count = std::clamp(kMostBinsOfAll / std::max<std::size_t>(series, 1), kFewestBins, kMostBins);
  const TimeBins bins = TimeBins::equal(whole_since(timeline), timeline.wall_ns, count);
  const std::vector<StateSeries> states = states_over_time(timeline, bins);
  Json json{{"begin_s", rounded(seconds(bins.begin()))},
            {"end_s", rounded(seconds(bins.end()))},
            {"bins", bins.size()},
            {"stages", Json::array()},
            {"edges", Json::array()}};
  for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
    if (!is_buffer(timeline, i)) {
      json["stages"].push_back(state_data(timeline.stages[i], states[i], bins));
    }
  }
  for (const EdgeTimeline& edge : timeline.edges) {
    json["edges"].push_back(fill_data(edge.name, edge.items, bins));
  }
  for (const BufferTimeline& buffer : timeline.buffers) {
    json["edges"].push_back(fill_data(timeline.stages[buffer.stage].name, buffer.items, bins));
  }
  return json;
}

template <class Event, class End>
void add_histogram(Json& list, const StageTimeline& stage, const char* clock, const std::vector<Event>& events,
                   End end) {
  std::vector<std::int64_t> durations;
  for (const Event& event : events) {
    if (event.number > 0) {  // the drain is no firing
      durations.push_back(std::invoke(end, event) - event.begin);
    }
  }
  if (durations.empty()) {
    return;
  }
  const LatencyBuckets buckets = latency_buckets(durations, kMostBuckets);
  list.push_back({{"stage", stage.name},
                  {"clock", clock},
                  {"bounds_s", listed(buckets.bounds_ns, [](double ns) { return rounded_seconds(ns); })},
                  {"counts", buckets.counts}});
}

Json latency_data(const Timeline& timeline) {
  Json list = Json::array();
  for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
    if (!is_buffer(timeline, i)) {
      add_histogram(list, timeline.stages[i], "host", timeline.stages[i].firings, &FiringEvent::body_end);
      add_histogram(list, timeline.stages[i], "device", timeline.stages[i].device_firings, &DeviceEvent::end);
    }
  }
  return list;
}

Json steps_data(const Timeline& timeline) {
  const StepBreakdown breakdown = step_breakdown(timeline, kMostStepGroups);
  const auto all_seconds = [](const std::vector<double>& ns) {
    return listed(ns, [](double value) { return rounded_seconds(value); });
  };
  Json json{{"first", breakdown.first_step},
            {"last", breakdown.last_step},
            {"wall_s", all_seconds(breakdown.wall_ns)},
            {"parts", Json::array()}};
  for (const StepPart& part : breakdown.parts) {
    json["parts"].push_back({{"stage", timeline.stages[part.stage].name},
                             {"span", part.span},
                             {"clock", part.on_device ? "device" : "host"},
                             {"seconds", all_seconds(part.ns)}});
  }
  return json;
}

Json metric_data(const MetricSeries& series) {
  Json json{{"name", series.name}, {"evaluation", series.of_evaluation}};
  bool has_range = false;
  std::int64_t not_finite = 0;
  for (const MetricSeries::Point& point : series.points) {
    json["step"].push_back(point.step);
    json["mean"].push_back(rounded(point.mean));
    has_range = has_range || point.least < point.greatest;
    not_finite += point.not_finite;
  }
  json["not_finite"] = not_finite;
  if (has_range) {
    json["least"] = listed(series.points, [](const auto& point) { return rounded(point.least); });
    json["greatest"] = listed(series.points, [](const auto& point) { return rounded(point.greatest); });
  }
  return json;
}

Json device_data(const DeviceTimeline& device) {
  const std::vector<UsageEvent> usage = usage_over_time(device.usage, kMostPoints);
  const auto column = [&](std::int64_t UsageEvent::* member) {
    return listed(usage, [member](const UsageEvent& event) { return event.*member; });
  };
  return {{"name", device.name},
          {"at_s", listed(usage, [](const UsageEvent& event) { return rounded(seconds(event.at)); })},
          {"memory_bytes", column(&UsageEvent::memory_bytes)},
          {"allocations", column(&UsageEvent::allocations)},
          {"frees", column(&UsageEvent::frees)},
          {"maps", column(&UsageEvent::maps)},
          {"unmaps", column(&UsageEvent::unmaps)},
          {"host_waits", column(&UsageEvent::host_waits)}};
}

}  // namespace

Json page_data(const Json& report, const Timeline& timeline, const std::vector<Json>& metrics) {
  return read_written(report, "report.json", [&](const Json& object) {
    Json data{{"report", object}, {"graph", graph_data(object)}, {"metrics", Json::array()}};
    if (has_events(timeline)) {
      data["time"] = time_data(timeline);
      data["latency"] = latency_data(timeline);
      data["steps"] = steps_data(timeline);
      data["devices"] = listed(timeline.devices, [](const DeviceTimeline& device) { return device_data(device); });
    }
    for (const MetricSeries& series : metric_series(metrics, kMostPoints)) {
      if (data["metrics"].size() < kMostMetrics) {
        data["metrics"].push_back(metric_data(series));
      }
    }
    return data;
  });
}

}  // namespace dflash
