// SPDX-License-Identifier: Apache-2.0
#include "framework/device/completion.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(Completion, WakesWhoAskedBeforeItsEndOnceEach) {
  Completion completion{std::make_unique<StreamEvent>(), nullptr};
  int woken = 0;
  EXPECT_FALSE(completion.done_or_wake([&] { ++woken; }));
  EXPECT_FALSE(completion.done_or_wake([&] { ++woken; }));
  EXPECT_EQ(completion.done_at(), 0);
  completion.finish(42);
  EXPECT_EQ(woken, 2);
  EXPECT_TRUE(completion.is_done());
  EXPECT_EQ(completion.done_at(), 42);
  EXPECT_TRUE(completion.done_or_wake([&] { ++woken; }));
  EXPECT_EQ(woken, 2);
}

TEST(Completion, IsDoneAlsoWhereNothingIsMeasured) {
  Completion completion{std::make_unique<StreamEvent>(), nullptr};
  completion.finish(0);
  EXPECT_TRUE(completion.is_done());
}

TEST(Completion, NobodyWhoAsksWhileItEndsIsForgotten) {
  for (int round = 0; round < 200; ++round) {
    Completion completion{std::make_unique<StreamEvent>(), nullptr};
    std::atomic<int> woken{0};
    std::thread reaper{[&] { completion.finish(1); }};
    const bool was_done = completion.done_or_wake([&] { ++woken; });
    completion.wait();
    reaper.join();
    EXPECT_EQ(woken, was_done ? 0 : 1);
  }
}

}  // namespace
}  // namespace dflash
