// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/live_slot.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace dflash {
namespace {

SlotFigures figures_of(std::int64_t n) {
  return {.firings = n,
          .busy_ns = 2 * n,
          .blocked_ns = 3 * n,
          .starved_ns = 4 * n,
          .gpu_wait_ns = 5 * n,
          .dispatch_ns = 6 * n,
          .since = -n};
}

bool belong_together(const SlotFigures& read) {
  const SlotFigures whole = figures_of(read.firings);
  return read.busy_ns == whole.busy_ns && read.blocked_ns == whole.blocked_ns && read.starved_ns == whole.starved_ns &&
         read.gpu_wait_ns == whole.gpu_wait_ns && read.dispatch_ns == whole.dispatch_ns && read.since == whole.since;
}

TEST(LiveSlot, IsEmptyBeforeAnythingWasPublished) { EXPECT_TRUE(belong_together(LiveSlot{}.read())); }

TEST(LiveSlot, ReadersSeeTheFiguresOfOneMomentAndNeverOlderOnesAgain) {
  constexpr std::int64_t kLast = 300'000;
  LiveSlot slot;
  std::atomic<int> readers{0};
  std::atomic<bool> torn{false};
  const auto read = [&] {
    ++readers;
    std::int64_t newest = 0;
    while (newest < kLast) {
      const SlotFigures figures = slot.read();
      torn = torn || !belong_together(figures) || figures.firings < newest;
      newest = figures.firings;
    }
  };
  {
    const std::jthread first{read};
    const std::jthread second{read};
    while (readers < 2) {
      std::this_thread::yield();
    }
    for (std::int64_t n = 1; n <= kLast; ++n) {
      slot.publish(figures_of(n));
    }
  }
  EXPECT_FALSE(torn);
}

}  // namespace
}  // namespace dflash
