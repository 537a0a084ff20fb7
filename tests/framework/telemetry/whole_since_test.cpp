// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/whole_since.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(WholeSince, IsTheBeginningWhereNothingWasLost) {
  Timeline timeline{.wall_ns = 100};
  timeline.stages.push_back({.name = "a", .firings = {{.number = 1, .end = 40}}});
  EXPECT_EQ(whole_since(timeline), 0);
  EXPECT_EQ(whole_since({}), 0);
}

TEST(WholeSince, IsTheLatestFirstEndOfWhatLostSomething) {
  Timeline timeline{.wall_ns = 100};
  timeline.stages.push_back({.name = "a", .firings = {{.number = 5, .end = 40}, {.number = 6, .end = 55}}, .lost = 4});
  timeline.stages.push_back({.name = "b", .firings = {{.number = 1, .end = 90}}});
  EXPECT_EQ(whole_since(timeline), 40);
  timeline.edges.push_back({.name = "e", .items = {{.popped = 60}, {.popped = 70}}, .lost = 1});
  EXPECT_EQ(whole_since(timeline), 60);
  timeline.buffers.push_back({.stage = 1, .items = {{.popped = 65}}, .lost = 1});
  EXPECT_EQ(whole_since(timeline), 65);
}

TEST(WholeSince, CountsThePartsOfFiringsOfWhichThereAreMore) {
  Timeline timeline{.wall_ns = 100};
  timeline.stages.push_back(
      {.name = "a", .firings = {{.number = 5, .end = 40}}, .spans = {{.number = 6, .end = 50}}, .lost = 4});
  EXPECT_EQ(whole_since(timeline), 50);
  timeline.stages[0].device_spans = {{.number = 7, .end = 61}};
  EXPECT_EQ(whole_since(timeline), 61);
}

// The first of all is of the slot that has lost least.
TEST(WholeSince, CountsFromTheSlotThatHasLostMost) {
  Timeline timeline{.wall_ns = 100};
  timeline.stages.push_back({.name = "a",
                             .slots = 2,
                             .firings = {{.number = 7, .slot = 0, .end = 30},
                                         {.number = 8, .slot = 1, .end = 40},
                                         {.number = 9, .slot = 0, .end = 50}},
                             .lost = 3});
  EXPECT_EQ(whole_since(timeline), 40);
}

}  // namespace
}  // namespace dflash
