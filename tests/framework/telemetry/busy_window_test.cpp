// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/busy_window.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Two stages that have been busy that long.
LiveView look_at(std::int64_t wall_ns, std::int64_t first_ns, std::int64_t second_ns) {
  LiveView view{.wall_ns = wall_ns};
  view.stages = {{.name = "first", .busy_ns = first_ns}, {.name = "second", .busy_ns = second_ns}};
  return view;
}

TEST(BusyWindow, CountsFromTheBeginOfTheRunWhileThatIsShort) {
  BusyWindow window;
  EXPECT_EQ(window.add({}).name, "");
  EXPECT_EQ(window.add(look_at(kSecond, kSecond / 2, kSecond / 4)).name, "first");
  const BusiestStage busiest = window.add(look_at(2 * kSecond, kSecond, kSecond / 4));
  EXPECT_EQ(busiest.name, "first");
  EXPECT_DOUBLE_EQ(busiest.share, 0.5);
}

TEST(BusyWindow, DoesNotHopWithOneBusyMoment) {
  BusyWindow window;
  (void)window.add(look_at(8 * kSecond, 7 * kSecond, 0));
  EXPECT_EQ(window.add(look_at(9 * kSecond, 7 * kSecond, kSecond)).name, "first");
}

TEST(BusyWindow, ForgetsWhatIsLongAgo) {
  BusyWindow window;
  (void)window.add(look_at(20 * kSecond, 20 * kSecond, 0));
  (void)window.add(look_at(25 * kSecond, 20 * kSecond, 5 * kSecond));
  const BusiestStage busiest = window.add(look_at(35 * kSecond, 20 * kSecond, 14 * kSecond));
  EXPECT_EQ(busiest.name, "second");
  EXPECT_DOUBLE_EQ(busiest.share, 0.9);
}

}  // namespace
}  // namespace dflash
