// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stamp_cost.h"

#include <algorithm>
#include <limits>

namespace dflash {
namespace {

constexpr int kTries = 5;
constexpr std::int64_t kFirings = 4000;

}  // namespace

FiringStamps::FiringStamps() {
  account_.start(last_, 1, 1);
  fill_.start(last_);
}

/// As FiringDriver::fire does at its begin and its end, and EdgeQueue at a pop and a push.
void FiringStamps::fire(std::int64_t number) {
  const std::int64_t begin = steady_now_ns();
  account_.begin_busy(begin, {.kind = Enabler::Kind::kInput, .at = begin});
  fill_.advance(begin, 1, false);
  residence_.record(begin - last_);
  items_.add({.seq = number, .from_firing = number, .to_firing = number, .pushed = last_, .popped = begin});
  last_ = steady_now_ns();
  account_.end_busy(last_, number);
  fill_.advance(last_, 2, false);
}

RunRecord FiringStamps::record() const {
  RunRecord record;
  account_.add_to(record.stages.emplace_back());
  account_.add_to(record.timeline.stages.emplace_back(), 0);
  record.edges.emplace_back().residence = residence_;
  record.timeline.edges.emplace_back().items = items_.oldest_first();
  return record;
}

std::int64_t stamp_cost_ns() {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    FiringStamps stamps;
    const std::int64_t begin = steady_now_ns();
    for (std::int64_t number = 1; number <= kFirings; ++number) {
      stamps.fire(number);
    }
    least = std::min(least, (steady_now_ns() - begin) / kFirings);
  }
  return least;
}

}  // namespace dflash
