// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/analysis/run_comparison.h"
#include "framework/core/json.h"

namespace dflash {

/// What `compare --json` prints: {result, ratio, low, high, equal_loss, unit, samples, rate_a, rate_b, loss, stages,
/// edges, notes, runs}. Null stands for what too few steps, firings or losses leave unknown.
Json comparison_json(const RunComparison& comparison);

}  // namespace dflash
