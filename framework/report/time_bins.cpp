// SPDX-License-Identifier: Apache-2.0
#include "framework/report/time_bins.h"

#include <iterator>

namespace dflash {
TimeBins TimeBins::equal(std::int64_t begin, std::int64_t end, std::size_t count) {
  const std::int64_t span = std::max<std::int64_t>(end - begin, 0);
  const std::int64_t bins = std::min(span, static_cast<std::int64_t>(count));
  std::vector<std::int64_t> bounds;
  for (std::int64_t i = 0; i <= bins && bins > 0; ++i) {
    bounds.push_back(begin + span / bins * i + span % bins * i / bins);
  }
  return TimeBins{std::move(bounds)};
}

std::size_t TimeBins::bin_of(std::int64_t at) const {
  const auto after = std::upper_bound(bounds_.begin(), bounds_.end(), at);
  const auto bin = std::max<std::ptrdiff_t>(std::distance(bounds_.begin(), after) - 1, 0);
  return std::min(static_cast<std::size_t>(bin), size() - 1);
}

}  // namespace dflash
