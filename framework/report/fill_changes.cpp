// SPDX-License-Identifier: Apache-2.0
#include "framework/report/fill_changes.h"

#include <algorithm>
#include <tuple>

namespace dflash {

std::vector<FillChange> fill_changes(const std::vector<ItemEvent>& items) {
  std::vector<FillChange> changes;
  changes.reserve(2 * items.size());
  for (const ItemEvent& item : items) {
    changes.push_back({.at = item.pushed, .by = 1});
    changes.push_back({.at = item.popped, .by = -1});
  }
  std::ranges::sort(
      changes, [](const FillChange& a, const FillChange& b) { return std::tie(a.at, a.by) < std::tie(b.at, b.by); });
  return changes;
}

}  // namespace dflash
