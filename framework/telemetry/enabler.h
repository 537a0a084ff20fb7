// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// What a slot waited for, and when that came.
struct Enabler {
  enum class Kind { kNothing, kInput, kOutput, kDevice };
  Kind kind = Kind::kNothing;
  std::size_t port = 0;  // position of the edge among the stage's input edges, or its output edges
  std::int64_t at = 0;
  std::int64_t device_at = 0;  // of an input that arrived before the device had made it: when that was seen

  [[nodiscard]] std::int64_t complete_at() const { return std::max(at, device_at); }
  /// Keeps the later one: a wait is charged to whoever came last, since that one was missing all the time.
  void latest(const Enabler& other) {
    if (other.complete_at() > complete_at() || kind == Kind::kNothing) {
      *this = other;
    }
  }

  /// A firing that begins at `begin` in a slot that was free from `free` and waited for this: how that time is split.
  [[nodiscard]] FiringEvent begins(std::int64_t free, std::int64_t begin) const {
    const std::int64_t ready = std::clamp(complete_at(), free, std::max(free, begin));
    const std::int64_t there = std::clamp(at, free, ready);
    return {.free = free,
            .ready = ready,
            .begin = std::max(free, begin),
            .starved = kind == Kind::kInput ? there - free : 0,
            .blocked = kind == Kind::kOutput ? there - free : 0};
  }
};

}  // namespace dflash
