// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace dflash {

/// Where the time of a slot went so far, in nanoseconds.
struct SlotFigures {
  std::int64_t firings = 0;  // that have ended
  std::int64_t busy_ns = 0;
  std::int64_t blocked_ns = 0;
  std::int64_t starved_ns = 0;
  std::int64_t gpu_wait_ns = 0;
  std::int64_t dispatch_ns = 0;
  std::int64_t since = 0;  // when the firing under way began; negative: when the wait for one did; 0: neither
};

/// Figures that their slot's runner publishes while it goes on, and that any thread may read as they were at one
/// moment. The writer takes no lock and never waits: it makes `version_` odd, stores, makes it even. A reader that was
/// overtaken reads again.
///
/// Stores of figures release and loads acquire, so a reader that has seen a figure of a newer version sees the odd
/// number before it, too. On x86 each of them is one plain move.
class LiveSlot {
 public:
  /// One thread at a time.
  void publish(const SlotFigures& figures) {
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    store(0, figures.firings);
    store(1, figures.busy_ns);
    store(2, figures.blocked_ns);
    store(3, figures.starved_ns);
    store(4, figures.gpu_wait_ns);
    store(5, figures.dispatch_ns);
    store(6, figures.since);
    version_.store(version + 2, std::memory_order_release);
  }

  [[nodiscard]] SlotFigures read() const {
    for (;;) {
      const std::uint64_t before = version_.load(std::memory_order_acquire);
      const SlotFigures figures{.firings = load(0),
                                .busy_ns = load(1),
                                .blocked_ns = load(2),
                                .starved_ns = load(3),
                                .gpu_wait_ns = load(4),
                                .dispatch_ns = load(5),
                                .since = load(6)};
      if (before % 2 == 0 && version_.load(std::memory_order_relaxed) == before) {
        return figures;
      }
      std::this_thread::yield();
    }
  }

 private:
  void store(std::size_t index, std::int64_t value) { figures_[index].store(value, std::memory_order_release); }
  [[nodiscard]] std::int64_t load(std::size_t index) const { return figures_[index].load(std::memory_order_acquire); }

  std::atomic<std::uint64_t> version_{0};
  std::array<std::atomic<std::int64_t>, 7> figures_{};
};

}  // namespace dflash
