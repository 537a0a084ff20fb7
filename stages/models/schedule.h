// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace dflash {

/// Course of the learning rate after warm-up.
enum class ScheduleType {
  kCosine,  // half a cosine down to the floor
  kLinear,  // a straight line down to zero
  kWsd,     // constant, then half a cosine to the floor over the last part (warm-up, stable, decay)
};

struct Schedule {
  ScheduleType type = ScheduleType::kCosine;
  double lr = 6e-4;            // peak
  double lr_min = 0;           // floor; kLinear ignores it
  double warmup_ratio = 0.04;  // share of all steps
  double decay_ratio = 0.2;    // share of all steps, kWsd only
  std::int64_t steps = 1;
};

/// Returns the learning rate of optimiser step `step` (0-based, below `steps`). Warm-up rises in equal parts to the
/// peak.
double learning_rate(const Schedule& schedule, std::int64_t step);

}  // namespace dflash
