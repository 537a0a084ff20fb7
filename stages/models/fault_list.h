// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/ranges.h>

namespace dflash {

/// "a; b; c", with a count instead of what nobody would read to the end.
inline std::string fault_list(std::vector<std::string> faults) {
  constexpr std::size_t kMost = 20;
  const std::size_t more = faults.size() - std::min(faults.size(), kMost);
  faults.resize(faults.size() - more);
  return fmt::format("{}{}", fmt::join(faults, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
}

}  // namespace dflash
