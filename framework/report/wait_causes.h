// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// What a slot did, or waited for, at a time.
enum class SlotState { kBusy, kGpuWait, kBlocked, kStarved, kDispatch };
inline constexpr std::size_t kSlotStates = 5;

/// Tells for which of its conditions a firing's slot waited: as in the accounts of a run, all of the time until the
/// firing was ready is charged to the condition that was met last.
class WaitCauses {
 public:
  explicit WaitCauses(const Timeline& timeline);

  /// kGpuWait, kBlocked or kStarved.
  [[nodiscard]] SlotState cause(std::size_t stage, const FiringEvent& firing) const;

 private:
  using TimeByNumber = std::unordered_map<std::int64_t, std::int64_t>;

  /// An edge as its producer sees it: what each firing pushed first, and when the item left that it had to wait for.
  struct Credit {
    std::vector<std::pair<std::int64_t, std::int64_t>> first_seq;  // by number of the firing, rising
    TimeByNumber left;                                             // by seq; on a device once that is done with it
    std::int64_t capacity = 0;
  };

  static std::int64_t credit_time(const Credit& credit, std::int64_t number);
  [[nodiscard]] std::int64_t device_time(std::size_t stage, const FiringEvent& firing) const;

  std::vector<TimeByNumber> last_input_;      // by stage, then number of the firing: when its last input was there
  std::vector<TimeByNumber> last_made_;       // the same, when the device had made it
  std::vector<std::vector<Credit>> credits_;  // by stage, its output edges
  std::vector<std::vector<std::int64_t>> own_ends_;  // by stage, rising: when the device was done with its firings
};

}  // namespace dflash
