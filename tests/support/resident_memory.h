// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>

namespace dflash {

/// Pages of this process that are in memory.
inline std::int64_t resident_pages() {
  std::ifstream file{"/proc/self/statm"};
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  return resident;
}

}  // namespace dflash
