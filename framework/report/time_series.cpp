// SPDX-License-Identifier: Apache-2.0
#include "framework/report/time_series.h"

#include <algorithm>

#include "framework/report/fill_changes.h"

namespace dflash {
namespace {

StateSeries states_of(const StageTimeline& stage, const TimeBins& bins) {
  StateSeries series;
  series.fill(std::vector<std::int64_t>(bins.size()));
  const auto add = [&](SlotState state, std::int64_t from, std::int64_t to) {
    auto& ns = series.at(static_cast<std::size_t>(state));
    bins.cut(from, to, [&](std::size_t bin, std::int64_t part) { ns[bin] += part; });
  };
  for (const FiringEvent& firing : stage.firings) {
    const std::int64_t there = firing.ready - firing.gpu_wait();
    add(firing.starved > 0 ? SlotState::kStarved : SlotState::kBlocked, firing.free, there);
    add(SlotState::kGpuWait, there, firing.ready);
    add(SlotState::kDispatch, firing.ready, firing.begin);
    add(SlotState::kBusy, firing.begin, firing.end);
  }
  return series;
}

}  // namespace

std::vector<StateSeries> states_over_time(const Timeline& timeline, const TimeBins& bins) {
  std::vector<StateSeries> series;
  series.reserve(timeline.stages.size());
  for (const StageTimeline& stage : timeline.stages) {
    series.push_back(states_of(stage, bins));
  }
  return series;
}

FillSeries fill_over_time(const std::vector<ItemEvent>& items, const TimeBins& bins) {
  std::vector<FillChange> changes = fill_changes(items);
  changes.push_back({.at = std::max(bins.end(), changes.empty() ? 0 : changes.back().at), .by = 0});
  std::vector<double> item_ns(bins.size());
  FillSeries series{.mean = {}, .max = std::vector<std::int64_t>(bins.size())};
  std::int64_t fill = 0;
  std::int64_t since = bins.begin();
  for (const auto& [at, by] : changes) {
    bins.cut(since, at, [&](std::size_t bin, std::int64_t ns) {
      item_ns[bin] += static_cast<double>(fill) * static_cast<double>(ns);
      series.max[bin] = std::max(series.max[bin], fill);
    });
    fill += by;
    since = std::max(since, at);
  }
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    series.mean.push_back(item_ns[bin] / static_cast<double>(bins.length(bin)));
  }
  return series;
}

std::vector<UsageEvent> usage_over_time(const std::vector<UsageEvent>& usage, std::size_t most) {
  if (usage.size() <= most || most == 0) {
    return usage;
  }
  const TimeBins bins = TimeBins::equal(usage.front().at, usage.back().at + 1, most);
  std::vector<UsageEvent> kept;
  std::size_t last_bin = 0;
  for (const UsageEvent& event : usage) {
    const std::size_t bin = bins.size() == 0 ? 0 : bins.bin_of(event.at);
    if (kept.empty() || bin != last_bin) {
      kept.push_back(event);
    } else {
      const std::int64_t memory = std::max(kept.back().memory_bytes, event.memory_bytes);
      kept.back() = event;
      kept.back().memory_bytes = memory;
    }
    last_bin = bin;
  }
  return kept;
}

}  // namespace dflash
