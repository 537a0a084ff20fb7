// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace dflash {

/// Pages of this process that are in memory.
inline std::int64_t resident_pages() {
  std::ifstream file{"/proc/self/statm"};
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  return resident;
}

/// The most that ever were since the process began, or since it wrote "5" to /proc/self/clear_refs.
inline std::int64_t most_resident_pages() {
  std::ifstream file{"/proc/self/status"};
  std::string word;
  while (file >> word && word != "VmHWM:") {
  }
  std::int64_t kibibytes = 0;
  file >> kibibytes;
  return kibibytes / 4;
}

}  // namespace dflash
