// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace dflash {

/// As files for programs give times.
inline double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace dflash
