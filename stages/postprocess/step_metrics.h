// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "framework/core/item.h"
#include "stages/models/nan_like.h"

namespace dflash {

/// What one optimiser step measured. `values` come to the host in one copy, which is queued behind the step; they are
/// there once the item is ready.
struct StepMetrics {
  std::string stage;        // that made the step
  std::int64_t step = 0;    // 1-based
  std::int64_t tokens = 0;  // context tokens that went in, without padding
  double lr = 0.0;
  std::vector<std::string> names;                             // of `values`: "loss", "accuracy", "grad_norm", ...
  at::Tensor values;                                          // [names] fp32, on the host
  std::vector<std::pair<std::string, double>> phase_seconds;  // host time of "forward", "backward", ...
};

template <>
struct ItemType<StepMetrics> {
  static constexpr std::string_view kName = "step_metrics";
  static std::int64_t bytes(const StepMetrics& metrics) { return static_cast<std::int64_t>(metrics.names.size()) * 4; }
  static StepMetrics poisoned(const StepMetrics& metrics) {
    StepMetrics made = metrics;
    made.values = nan_like(metrics.values);
    return made;
  }
  static std::string serialize(const StepMetrics& metrics);
  static StepMetrics deserialize(std::string_view bytes, const std::string& device);
};

}  // namespace dflash
