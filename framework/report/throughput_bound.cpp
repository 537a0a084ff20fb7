// SPDX-License-Identifier: Apache-2.0
#include "framework/report/throughput_bound.h"

#include <algorithm>

#include <fmt/format.h>

#include "framework/report/behind_drops.h"
#include "framework/report/needed_work.h"

namespace dflash {
namespace {

std::vector<WallLimit> limits_of(const RunRecord& record, const std::vector<bool>& behind_drops) {
  std::vector<WallLimit> limits;
  const std::vector<double> needed = needed_shares(record);
  for (std::size_t i = 0; i < record.stages.size(); ++i) {
    const StageRecord& stage = record.stages[i];
    if (!behind_drops[i]) {
      const double used = static_cast<double>(stage.needed_ns()) * needed[i];
      limits.push_back(
          {.name = stage.name, .wall_ns = used / static_cast<double>(std::max<std::int64_t>(stage.slots, 1))});
    }
  }
  for (const LaneRecord& lane : record.lanes) {
    double busy = 0.0;
    std::int64_t stages = 0;
    for (std::size_t i = 0; i < record.stages.size(); ++i) {
      const StageRecord& stage = record.stages[i];
      if (stage.lane == lane.name) {
        ++stages;
        busy += static_cast<double>(stage.own_body_ns()) * needed[i];
      }
    }
    if (stages > 1) {  // a lane of one stage says no more than the stage
      const auto workers = static_cast<double>(std::max<std::int64_t>(lane.workers, 1));
      limits.push_back({.name = lane.name, .is_lane = true, .wall_ns = busy / workers});
    }
  }
  std::stable_sort(limits.begin(), limits.end(),
                   [](const WallLimit& a, const WallLimit& b) { return a.wall_ns > b.wall_ns; });
  return limits;
}

/// The last stage that takes all that comes to it; null where there is none.
const StageRecord* last_stage(const RunRecord& record, const std::vector<bool>& behind_drops) {
  for (std::size_t i = record.stages.size(); i-- > 0;) {
    if (!behind_drops[i]) {
      return &record.stages[i];
    }
  }
  return nullptr;
}

}  // namespace

ThroughputBound throughput_bound(const RunRecord& record) {
  ThroughputBound result;
  const std::vector<bool> behind_drops = stages_behind_drops(record);
  result.limits = limits_of(record, behind_drops);
  if (record.steps > 0) {
    result.unit = "steps/s";
    result.work = static_cast<double>(record.steps);
  } else if (const StageRecord* last = last_stage(record, behind_drops)) {
    result.unit = fmt::format("firings/s of '{}'", last->name);
    result.work = static_cast<double>(last->firings);
  }
  if (record.wall_ns <= 0 || result.limits.empty()) {
    return result;
  }
  const auto wall = static_cast<double>(record.wall_ns);
  const double least = std::min(result.limits.front().wall_ns, wall);
  result.achieved = result.work / wall * 1e9;
  result.bound = least <= 0.0 ? result.achieved : result.work / least * 1e9;
  result.gap = 1.0 - least / wall;
  return result;
}

}  // namespace dflash
