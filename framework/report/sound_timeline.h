// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// Throws UserError that names `file` where a timeline says what no run writes, so that those who compute with one need
/// not ask: stages without slots, edges without room, a buffer that has no room, would give what it does not hold, works
/// on a device or has not one input, more time than can be summed.
void require_sound(const Timeline& timeline, const std::string& file);

}  // namespace dflash
