// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// By number of a stage's firing: how long after its device had done its work the host saw that. No log tells it, but
/// what depended on it does: the firing of the consumer on the host, the item that got the input's place on its edge,
/// the stage's own firing after the next. None of them can have been before. A busy host sees it milliseconds late.
[[nodiscard]] std::map<std::int64_t, std::int64_t> device_lateness(const Timeline& timeline, std::size_t stage);

}  // namespace dflash
