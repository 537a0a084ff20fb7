// SPDX-License-Identifier: Apache-2.0
#include "stages/models/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/error.h"

namespace dflash {
namespace {

/// Half a cosine from the peak to the floor; `progress` from 0 to 1.
double half_cosine(const Schedule& schedule, double progress) {
  return schedule.lr_min + (schedule.lr - schedule.lr_min) / 2 * (1 + std::cos(std::numbers::pi * progress));
}

}  // namespace

double learning_rate(const Schedule& schedule, std::int64_t step) {
  const auto total = static_cast<double>(schedule.steps);
  const auto at = static_cast<double>(step);
  const double warmup = std::floor(schedule.warmup_ratio * total);
  if (at < warmup) {
    return schedule.lr * (at + 1) / warmup;
  }
  switch (schedule.type) {
    case ScheduleType::kCosine:
      return half_cosine(schedule, (at - warmup) / std::max(total - warmup, 1.0));
    case ScheduleType::kLinear:
      return schedule.lr * (total - at) / std::max(total - warmup, 1.0);
    case ScheduleType::kWsd: {
      const double decay = std::floor(schedule.decay_ratio * total);
      return at < total - decay ? schedule.lr : half_cosine(schedule, (at - (total - decay)) / decay);
    }
  }
  throw_internal_error("known schedule", "learning rate");
}

}  // namespace dflash
