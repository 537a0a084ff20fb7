// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// Nanoseconds, of all firings one after the other: a fifth of what 64 bits hold.
inline constexpr std::int64_t kMostTimeNs = 1'800'000'000'000'000'000;

/// Throws UserError that names `file` where a timeline says what no run writes, so that those who compute with one need
/// not ask: stages without slots, edges without room, a buffer that has no room, would give what it does not hold,
/// works on a device or has not one input, more time than can be summed.
void require_sound(const Timeline& timeline, const std::string& file);

}  // namespace dflash
