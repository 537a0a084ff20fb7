// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace dflash {

/// What one firing with an input and an output costs for being measured, in nanoseconds on this machine and now: its
/// looks at the clock, its accounts, its entries among the newest events. Takes a few milliseconds.
[[nodiscard]] std::int64_t stamp_cost_ns();

}  // namespace dflash
