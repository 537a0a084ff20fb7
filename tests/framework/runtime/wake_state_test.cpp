// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/wake_state.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(WakeState, OnlyTheFirstWakerOfAnIdleStageSchedules) {
  WakeState state;
  EXPECT_TRUE(state.notify());
  EXPECT_FALSE(state.notify());
}

TEST(WakeState, CannotLeaveWithNewsUnread) {
  WakeState state;
  ASSERT_TRUE(state.notify());
  state.begin();
  EXPECT_FALSE(state.notify());
  EXPECT_FALSE(state.try_leave());
  state.begin();
  EXPECT_TRUE(state.try_leave());
  EXPECT_TRUE(state.notify());
}

/// A stage that counts news with no protection but the wake state: two runners at once would lose counts, and a lost
/// wake-up would leave news unread.
struct CountingStage {
  void publish_and_wake() {
    published.fetch_add(1, std::memory_order_relaxed);
    if (state.notify()) {
      scheduled.fetch_add(1, std::memory_order_release);
    }
  }
  /// Takes one scheduled run, if there is one.
  bool run_scheduled() {
    std::int64_t waiting = scheduled.load(std::memory_order_relaxed);
    while (waiting > 0) {
      if (scheduled.compare_exchange_weak(waiting, waiting - 1, std::memory_order_acquire)) {
        run();
        return true;
      }
    }
    return false;
  }
  void run() {
    do {
      state.begin();
      read_up_to = published.load(std::memory_order_relaxed);
      ++unprotected_runs;
      runs.fetch_add(1, std::memory_order_relaxed);
    } while (!state.try_leave());
  }

  WakeState state;
  std::atomic<std::int64_t> published{0};
  std::atomic<std::int64_t> scheduled{0};
  std::atomic<std::int64_t> runs{0};
  std::int64_t unprotected_runs = 0;
  std::int64_t read_up_to = 0;
};

TEST(WakeState, LosesNoWakeUpAndNeverRunsTwiceAtOnce) {
  constexpr std::int64_t kNews = 100'000;
  constexpr int kWakers = 2;
  constexpr int kRunners = 2;
  CountingStage stage;
  std::atomic<int> wakers_left{kWakers};
  std::vector<std::thread> threads;
  for (int i = 0; i < kWakers; ++i) {
    threads.emplace_back([&] {
      for (std::int64_t n = 0; n < kNews; ++n) {
        stage.publish_and_wake();
      }
      wakers_left.fetch_sub(1);
    });
  }
  for (int i = 0; i < kRunners; ++i) {
    threads.emplace_back([&] {
      while (wakers_left.load() > 0) {
        if (!stage.run_scheduled()) {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  while (stage.run_scheduled()) {
  }
  EXPECT_EQ(stage.read_up_to, kWakers * kNews);
  EXPECT_EQ(stage.unprotected_runs, stage.runs.load());
  EXPECT_EQ(stage.scheduled.load(), 0);
}

}  // namespace
}  // namespace dflash
