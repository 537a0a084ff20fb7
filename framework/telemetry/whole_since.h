// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// From when on a timeline keeps all that happened: 0 where nothing was lost. Each slot keeps the newest of its own
/// firings and of their parts, so where one of a stage's logs has lost something, all are there since the latest of
/// their first entries.
[[nodiscard]] std::int64_t whole_since(const Timeline& timeline);

}  // namespace dflash
