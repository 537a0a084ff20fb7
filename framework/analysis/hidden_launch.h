// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// By number of a stage's firing: how much of its body passed before its work on the device could begin there, where
/// the body went on beyond that moment. Its inputs were not made yet, so it launched into a queue that stood still,
/// and waited where that was full: of what it took, that is not its own (StageRecord::hidden_launch_ns). Firings
/// without such a part are left out, and those whose work waited for the stage's own earlier firings.
[[nodiscard]] std::map<std::int64_t, std::int64_t> hidden_launches(const StageTimeline& stage);

}  // namespace dflash
