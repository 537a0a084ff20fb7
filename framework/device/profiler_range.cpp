// SPDX-License-Identifier: Apache-2.0
#include "framework/device/profiler_range.h"

#include <fmt/format.h>

namespace dflash {

ProfilerRange::ProfilerRange(bool is_wanted, std::string_view stage, std::int64_t firing) : is_wanted_{is_wanted} {
  if (is_wanted_) {
    begin_profiler_range(fmt::format("{}#{}", stage, firing).c_str());
  }
}

ProfilerRange::~ProfilerRange() {
  if (is_wanted_) {
    end_profiler_range();
  }
}

}  // namespace dflash
