// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

/// How far the losses of the same steps differ.
struct LossDifference {
  std::optional<bool> equal;  // to the last bit; none: no step of which both have a loss
  double largest = 0.0;       // of |a - b| / max(|a|, |b|)
  std::int64_t step = 0;      // with the largest
  std::int64_t steps = 0;     // compared
};

/// Compares "loss" in the lines of two metrics.jsonl.
LossDifference loss_difference(const std::vector<Json>& a, const std::vector<Json>& b);

}  // namespace dflash
