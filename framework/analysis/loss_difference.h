// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

/// A step's loss; none: it is not a number.
struct StepLoss {
  std::int64_t step = 0;
  std::optional<double> loss;
};
using StepLosses = std::vector<StepLoss>;  // steps ascend

/// How far the losses of the same steps differ.
struct LossDifference {
  std::optional<bool> equal;  // to the last bit; none: no step of which both have a loss
  double largest = 0.0;       // of |a - b| / max(|a|, |b|)
  std::int64_t step = 0;      // with the largest
  std::int64_t steps = 0;     // compared
};

/// "loss" in the lines of the steps of a metrics.jsonl.
StepLosses losses_of(const std::vector<Json>& metrics);

/// Compares the losses of the steps that both have.
LossDifference loss_difference(const StepLosses& a, const StepLosses& b);

/// Every run against the first; the farthest counts. Nothing where one has no step with a loss in common with it.
LossDifference farthest_loss(const std::vector<const StepLosses*>& runs);

}  // namespace dflash
