// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// What the engine itself takes for a firing: its dispatch.
struct FiringOverheads {
  std::int64_t wake_ns = 0;  // from the last that was waited for to the begin
  std::int64_t turn_ns = 0;  // from the end of the one before to the begin, where nothing was waited for
};

/// Medians over the firings that began at `since` or later; the least of all where they are too few of a kind.
[[nodiscard]] FiringOverheads overheads_of(const StageTimeline& stage, std::int64_t since);

}  // namespace dflash
