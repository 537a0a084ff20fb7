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

TEST(WholeSince, IsTheLatestOfWhatLostSomething) {
  Timeline timeline{.wall_ns = 100};
  timeline.stages.push_back({.name = "a", .firings = {{.number = 5, .end = 40}}, .lost = 4, .whole_since = 40});
  timeline.stages.push_back({.name = "b", .firings = {{.number = 1, .end = 90}}});
  EXPECT_EQ(whole_since(timeline), 40);
  timeline.edges.push_back({.name = "e", .items = {{.popped = 60}, {.popped = 70}}, .lost = 1});
  EXPECT_EQ(whole_since(timeline), 60);
  timeline.buffers.push_back({.stage = 1, .items = {{.popped = 65}}, .lost = 1});
  EXPECT_EQ(whole_since(timeline), 65);
}

constexpr std::int64_t kMost = Recent<FiringEvent>::kMost;

template <class Event>
Recent<Event> log_of(std::int64_t count, std::int64_t first_end) {
  Recent<Event> log;
  for (std::int64_t i = 0; i < count; ++i) {
    Event event;
    event.end = first_end + i;
    log.add(event);
  }
  return log;
}

// One slot has fired often, another first near the end: of that one nothing is lost.
TEST(WholeSince, LeavesOutLogsThatLostNothing) {
  StageTimeline stage{.slots = 4, .firings = {{.slot = 0, .end = 110}, {.slot = 3, .end = 90'000}}};
  stage.note_lost(log_of<FiringEvent>(kMost + 10, 100));
  stage.note_lost(log_of<FiringEvent>(1, 90'000));
  stage.note_lost(log_of<DeviceEvent>(kMost, 80'000));
  EXPECT_EQ(stage.lost, 10);
  EXPECT_EQ(whole_since({.stages = {stage}}), 110);
}

// Parts of firings are more than firings, and one slot may lose more than another.
TEST(WholeSince, CountsFromTheLogThatHasLostMost) {
  StageTimeline stage;
  stage.note_lost(log_of<FiringEvent>(kMost + 10, 100));
  stage.note_lost(log_of<SpanEvent>(kMost + 500, 100));
  stage.note_lost(log_of<FiringEvent>(kMost + 20, 100));
  EXPECT_EQ(stage.lost, 530);
  EXPECT_EQ(whole_since({.stages = {stage}}), 600);
}

}  // namespace
}  // namespace dflash
