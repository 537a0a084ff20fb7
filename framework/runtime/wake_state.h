// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace dflash {

/// Decides who schedules a stage's runner, so that there is at most one and no wake-up is lost.
///
/// States: idle, running, notified (scheduled, or running with news to look at). A waker publishes its news, then calls
/// `notify`; only the one that found `idle` schedules a runner. The runner calls `begin` before it looks at anything,
/// and gives up only through `try_leave`, which fails where somebody notified after `begin`: then it must begin again.
/// A runner that yields calls `yield`, schedules its successor and goes without leaving: wakers then still find the
/// stage taken.
class WakeState {
 public:
  /// True: the caller must schedule a runner.
  [[nodiscard]] bool notify() { return state_.exchange(kNotified, std::memory_order_acq_rel) == kIdle; }

  /// What was published before any `notify` so far is visible to the runner from here on.
  void begin() { state_.exchange(kRunning, std::memory_order_acq_rel); }

  /// True: the runner is gone and must not touch the stage any more. False: call `begin` and look again.
  [[nodiscard]] bool try_leave() {
    std::uint32_t expected = kRunning;
    return state_.compare_exchange_strong(expected, kIdle, std::memory_order_acq_rel);
  }

  /// Hands the stage over to the runner that is scheduled next.
  void yield() { state_.exchange(kNotified, std::memory_order_acq_rel); }

  /// Once all runners are known to be gone: what they did is visible from here on.
  void settle() const { (void)state_.load(std::memory_order_acquire); }

 private:
  static constexpr std::uint32_t kIdle = 0;
  static constexpr std::uint32_t kRunning = 1;
  static constexpr std::uint32_t kNotified = 2;

  std::atomic<std::uint32_t> state_{kIdle};
};

}  // namespace dflash
