// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/hidden_launch.h"

#include <algorithm>

namespace dflash {
namespace {

/// Of the body; a smaller part is what a launch takes to reach the device.
constexpr double kLeastPart = 0.1;

}  // namespace

std::map<std::int64_t, std::int64_t> hidden_launches(const StageTimeline& stage) {
  std::map<std::int64_t, FiringEvent> bodies;
  for (const FiringEvent& firing : stage.firings) {
    bodies[firing.number] = firing;
  }
  std::map<std::int64_t, std::int64_t> hidden;
  std::map<std::int64_t, std::int64_t> done_at;  // by slot: what it had queued before
  for (const DeviceEvent& work : stage.device_firings) {
    const auto found = bodies.find(work.number);
    const std::int64_t done_before = done_at.contains(work.slot) ? done_at[work.slot] : 0;
    done_at[work.slot] = work.end;
    if (found == bodies.end() || work.number == 0) {
      continue;
    }
    const FiringEvent& body = found->second;
    const auto held_up = static_cast<double>(work.begin - std::max(body.begin, done_before));
    if (body.end > work.begin && held_up > kLeastPart * static_cast<double>(body.end - body.begin)) {
      hidden[work.number] = work.begin - body.begin;
    }
  }
  return hidden;
}

}  // namespace dflash
