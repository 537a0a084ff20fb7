// SPDX-License-Identifier: Apache-2.0
#include "framework/device/profiler_range.h"

namespace dflash {

bool has_profiler_ranges() { return false; }
void begin_profiler_range(const char* /*name*/) {}
void end_profiler_range() {}

}  // namespace dflash
