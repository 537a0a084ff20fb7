// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/run_series.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include <nlohmann/json.hpp>

#include "framework/analysis/step_lines.h"

namespace dflash {
namespace {

WorkSeries in_order(WorkSeries series) {
  std::ranges::sort(series, {}, &WorkSample::number);
  const auto repeated = std::ranges::unique(series, {}, &WorkSample::number);
  series.erase(repeated.begin(), repeated.end());
  return series;
}

double between(std::int64_t begin, std::int64_t end) { return static_cast<double>(end - begin); }

std::int64_t end_of_work(const FiringEvent& firing) { return firing.body_end(); }
std::int64_t end_of_work(const DeviceEvent& firing) { return firing.end; }

double tokens_of(const Json& line) {
  const auto tokens = line.find("tokens");
  return tokens != line.end() && tokens->is_number() ? tokens->get<double>() : 0.0;
}

template <class Event>
WorkSeries durations(const std::vector<Event>& events) {
  WorkSeries series;
  for (const Event& event : events) {
    if (event.number > 0) {
      series.push_back({.number = event.number, .cost = between(event.begin, end_of_work(event))});
    }
  }
  return in_order(std::move(series));
}

}  // namespace

WorkSeries step_series(const Timeline& timeline, const std::vector<Json>& metrics) {
  const std::map<std::int64_t, const Json*> lines = step_lines(metrics);
  WorkSeries series;
  for (std::size_t i = 1; i < timeline.steps.size(); ++i) {
    const auto line = lines.find(timeline.steps[i].step);
    series.push_back({.number = timeline.steps[i].step,
                      .cost = between(timeline.steps[i - 1].at, timeline.steps[i].at),
                      .work = line == lines.end() ? 0.0 : tokens_of(*line->second)});
  }
  return in_order(std::move(series));
}

WorkSeries pace_series(const StageTimeline& stage) {
  WorkSeries series;
  for (std::size_t i = 1; i < stage.firings.size(); ++i) {
    if (stage.firings[i].number > 0) {
      series.push_back(
          {.number = stage.firings[i].number, .cost = between(stage.firings[i - 1].end, stage.firings[i].end)});
    }
  }
  return in_order(std::move(series));
}

WorkSeries firing_series(const StageTimeline& stage) {
  return stage.device_firings.empty() ? durations(stage.firings) : durations(stage.device_firings);
}

WorkSeries residence_series(const std::vector<ItemEvent>& items) {
  WorkSeries series;
  for (const ItemEvent& item : items) {
    if (item.to_firing > 0) {
      series.push_back({.number = item.seq, .cost = between(item.pushed, item.popped)});
    }
  }
  return in_order(std::move(series));
}

}  // namespace dflash
