// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// From when on a timeline keeps all that happened: 0 where nothing was lost. Each log keeps the newest, so one that
/// has lost something is whole from its first entry on; one that has lost nothing, however late it begins, is whole.
[[nodiscard]] std::int64_t whole_since(const Timeline& timeline);

}  // namespace dflash
