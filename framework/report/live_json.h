// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/core/json.h"
#include "framework/report/live_run.h"

namespace dflash {

inline constexpr const char* kLiveSchema = "dflash-live/1";

/// status.json of the live page: what it shows, as sums since the run began to fire. What happened in the last second
/// is the difference of two of them. "outcome" is null until the run has ended. Metrics that are not finite are null.
Json live_json(const LiveRun& run);

}  // namespace dflash
