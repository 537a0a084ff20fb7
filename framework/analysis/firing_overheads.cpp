// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/firing_overheads.h"

#include <algorithm>
#include <limits>

namespace dflash {
namespace {

/// From so few firings upwards a median says something.
constexpr std::size_t kEnough = 8;

std::int64_t median(std::vector<std::int64_t> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::int64_t least(const std::vector<std::int64_t>& values) {
  return values.empty() ? std::numeric_limits<std::int64_t>::max() : *std::ranges::min_element(values);
}

}  // namespace

FiringOverheads overheads_of(const StageTimeline& stage, std::int64_t since) {
  std::vector<std::int64_t> wakes;
  std::vector<std::int64_t> turns;
  for (const FiringEvent& firing : stage.firings) {
    if (firing.number == 0 || firing.begin < since) {
      continue;
    }
    if (firing.ready > firing.free) {
      wakes.push_back(firing.begin - firing.ready);
    } else {
      turns.push_back(firing.begin - firing.free);
    }
  }
  // One of a few may have been late by much.
  const std::int64_t fewest = wakes.empty() && turns.empty() ? 0 : std::min(least(wakes), least(turns));
  return {.wake_ns = wakes.size() < kEnough ? fewest : median(wakes),
          .turn_ns = turns.size() < kEnough ? fewest : median(turns)};
}

}  // namespace dflash
