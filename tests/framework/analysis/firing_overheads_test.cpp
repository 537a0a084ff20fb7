// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/firing_overheads.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

TEST(FiringOverheads, AreMediansOfWhatTheEngineTakes) {
  StageTimeline stage;
  for (std::int64_t i = 0; i < 9; ++i) {
    const std::int64_t at = 100 * i;
    stage.firings.push_back({.number = 1 + 2 * i, .free = at, .ready = at, .begin = at + 2, .end = at + 10});
    stage.firings.push_back({.number = 2 + 2 * i, .free = at + 10, .ready = at + 30, .begin = at + 37, .end = at + 90});
  }
  stage.firings.back().begin += 30;  // one was late
  EXPECT_EQ(overheads_of(stage, 0).turn_ns, 2);
  EXPECT_EQ(overheads_of(stage, 0).wake_ns, 7);
  EXPECT_EQ(overheads_of(stage, 10'000).wake_ns, 0);
  EXPECT_EQ(overheads_of(stage, 800).wake_ns, 2);  // one alone, and late, says nothing
}

}  // namespace
}  // namespace dflash
