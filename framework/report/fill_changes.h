// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// An item came (+1) or went (-1).
struct FillChange {
  std::int64_t at = 0;
  std::int64_t by = 0;
};

/// What happened to the fill of an edge or a buffer, in order; where an item goes and another comes at once, the one
/// that goes is first.
std::vector<FillChange> fill_changes(const std::vector<ItemEvent>& items);

}  // namespace dflash
