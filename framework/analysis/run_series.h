// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "framework/analysis/aligned_work.h"
#include "framework/core/json.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// What a run's records say of the cost of its steps, firings and items; costs in nanoseconds.

/// From each step to the next. Work: the tokens that its line of metrics.jsonl has, 0 where it has none.
WorkSeries step_series(const Timeline& timeline, const std::vector<Json>& metrics);

/// From each firing's end to the next one's, for a graph that makes no steps.
WorkSeries pace_series(const StageTimeline& stage);

/// The time of each firing's body; on a device, the time of its work there.
WorkSeries firing_series(const StageTimeline& stage);

/// How long each item that was taken was inside.
WorkSeries residence_series(const std::vector<ItemEvent>& items);

}  // namespace dflash
