// SPDX-License-Identifier: Apache-2.0
#include "framework/report/self_checks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace dflash {
namespace {

constexpr double kStatesLimit = 0.01;
constexpr double kUtilisationLimit = 0.01;
constexpr double kLittleLimit = 0.05;

SelfCheck check(std::string name, double value, double limit) {
  return {.name = std::move(name), .ok = value <= limit, .value = value, .limit = limit};
}

SelfCheck states_sum(const StageRecord& stage, double slot_time) {
  const auto accounted = static_cast<double>(stage.busy_ns + stage.blocked_out_ns + stage.starved_in_ns +
                                             stage.gpu_wait_ns + stage.dispatch_ns + stage.ended_ns);
  return check("sum of states: " + stage.name, std::abs(accounted - slot_time) / slot_time, kStatesLimit);
}

SelfCheck utilisation_law(const StageRecord& stage, double slot_time) {
  const double rate_times_service = static_cast<double>(stage.firings) * stage.service.mean() / slot_time;
  const double used = static_cast<double>(stage.busy_ns - stage.drain_ns - stage.between_ns) / slot_time;
  return check("utilisation law: " + stage.name, std::abs(used - rate_times_service), kUtilisationLimit);
}

SelfCheck little_law(const EdgeRecord& edge, double wall) {
  const auto capacity = static_cast<double>(std::max<std::int64_t>(edge.capacity_items, 1));
  const double by_residence = static_cast<double>(edge.residence.sum() + edge.untaken_ns) / wall;
  return check("little's law: " + edge.name, std::abs(edge.mean_fill - by_residence) / capacity, kLittleLimit);
}

SelfCheck flow_balance(const EdgeRecord& edge) {
  const std::int64_t left = edge.items - edge.residence.count() - edge.drops - edge.abandoned;
  return check("flow balance: " + edge.name, std::abs(static_cast<double>(left)), 0.0);
}

}  // namespace

std::vector<SelfCheck> self_checks(const RunRecord& record) {
  std::vector<SelfCheck> checks;
  if (record.wall_ns <= 0) {
    return checks;
  }
  const auto wall = static_cast<double>(record.wall_ns);
  for (std::size_t i = 0; i < record.stages.size(); ++i) {
    const StageRecord& stage = record.stages[i];
    if (record.is_buffer(i)) {
      continue;
    }
    const double slot_time = wall * static_cast<double>(std::max<std::int64_t>(stage.slots, 1));
    checks.push_back(states_sum(stage, slot_time));
    checks.push_back(utilisation_law(stage, slot_time));
  }
  for (const DeviceRecord& device : record.devices) {
    checks.push_back(check("device time within the wall: " + device.name,
                           std::max(static_cast<double>(device.busy_ns) / wall - 1.0, 0.0), kStatesLimit));
  }
  for (const EdgeRecord& edge : record.edges) {
    checks.push_back(little_law(edge, wall));
    checks.push_back(flow_balance(edge));
  }
  return checks;
}

}  // namespace dflash
