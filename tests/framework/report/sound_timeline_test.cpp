// SPDX-License-Identifier: Apache-2.0
#include "framework/report/sound_timeline.h"

#include <functional>

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::HasSubstr;

/// source -> queue.
Timeline small() {
  Timeline timeline{.wall_ns = 1000};
  timeline.stages = {{.name = "source"}, {.name = "queue"}};
  timeline.stages[0].firings = {{.number = 1, .free = 0, .ready = 10, .begin = 20, .end = 40}};
  timeline.edges = {{.name = "source.out->queue.in", .from_stage = 0, .to_stage = 1, .capacity_items = 4}};
  timeline.buffers = {{.stage = 1, .capacity_items = 8}};
  return timeline;
}

std::string fault_of(const std::function<void(Timeline&)>& damage) {
  Timeline timeline = small();
  damage(timeline);
  try {
    require_sound(timeline, "t");
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(SoundTimeline, IsWhatARunWrites) {
  EXPECT_EQ(fault_of([](Timeline&) {}), "none");
  // A run of a year of which the newest is kept.
  EXPECT_EQ(fault_of([](Timeline& timeline) {
              for (std::int64_t i = 0; i < 30'000; ++i) {
                const std::int64_t at = (std::int64_t{1} << 53) - 30'000 + i;
                timeline.stages[0].firings.push_back({.number = i, .free = at, .ready = at, .begin = at, .end = at});
              }
            }),
            "none");
}

TEST(SoundTimeline, HasRoomAndSlotsEverywhere) {
  EXPECT_THAT(fault_of([](Timeline& t) { t.stages[0].slots = 0; }), HasSubstr("stage 'source' has 0 slots"));
  EXPECT_THAT(fault_of([](Timeline& t) { t.stages[0].slots = 1 << 20; }), HasSubstr("has 1048576 slots"));
  EXPECT_THAT(fault_of([](Timeline& t) { t.edges[0].capacity_items = 0; }),
              HasSubstr("has room for 0 items, allowed: at least 1"));
  EXPECT_EQ(fault_of([](Timeline& t) { t.buffers[0].capacity_items = 0; }),
            "'t' is damaged: buffer 'queue' has room for 0 items, allowed: at least 1");
}

TEST(SoundTimeline, HasBuffersThatGiveWhatTheyHold) {
  EXPECT_EQ(fault_of([](Timeline& t) { t.buffers[0].min_ready = 0; }),
            "'t' is damaged: buffer 'queue' has min_ready 0, allowed: at least 1");
  EXPECT_THAT(fault_of([](Timeline& t) { t.buffers[0].min_ready = -4; }), HasSubstr("has min_ready -4, allowed:"));
}

TEST(SoundTimeline, HasOneStageThatMakesSteps) {
  EXPECT_EQ(fault_of([](Timeline& t) { t.stages[0].makes_steps = true; }), "none");
  EXPECT_THAT(fault_of([](Timeline& t) { t.stages[0].makes_steps = t.stages[1].makes_steps = true; }),
              HasSubstr("several stages make its steps"));
}

TEST(SoundTimeline, HasFiringsWhoseWaitingFitsTheirTimes) {
  const auto fault = [](const FiringEvent& firing) {
    return fault_of([&](Timeline& t) { t.stages[0].firings = {firing}; });
  };
  EXPECT_EQ(fault({.number = 7, .free = 0, .ready = 10, .begin = 10, .end = 20, .starved = 4}), "none");
  for (const FiringEvent& firing :
       {FiringEvent{.number = 7, .free = 11, .ready = 10, .begin = 20, .end = 30},
        FiringEvent{.number = 7, .free = 0, .ready = 30, .begin = 20, .end = 30},
        FiringEvent{.number = 7, .ready = 10, .begin = 10, .end = 20, .starved = 6, .blocked = 5},
        FiringEvent{.number = 7, .ready = 10, .begin = 10, .end = 20, .starved = -1},
        FiringEvent{.number = 7, .ready = 10, .begin = 10, .end = 20, .blocked = -1}}) {
    EXPECT_THAT(fault(firing), HasSubstr("the times of firing 7 of stage 'source' do not fit each other"));
  }
}

TEST(SoundTimeline, HasBuffersOnTheHostWithOneInput) {
  EXPECT_THAT(fault_of([](Timeline& t) { t.edges.clear(); }), HasSubstr("buffer 'queue' has not one input"));
  EXPECT_THAT(fault_of([](Timeline& t) { t.stages[1].device_firings = {{.number = 1}}; }),
              HasSubstr("buffer 'queue' fires on a device"));
}

TEST(SoundTimeline, HasNoMoreBetweenStepsThanAFiringTook) {
  EXPECT_EQ(fault_of([](Timeline& t) { t.stages[0].firings[0].between = 20; }), "none");
  EXPECT_EQ(fault_of([](Timeline& t) { t.stages[0].firings[0].between = 21; }),
            "'t' is damaged: the times of firing 1 of stage 'source' do not fit each other");
  EXPECT_THAT(fault_of([](Timeline& t) { t.stages[0].firings[0].between = -1; }), HasSubstr("the times of firing 1"));
}

TEST(SoundTimeline, HasTimesThatCanBeSummed) {
  EXPECT_THAT(
      fault_of([](Timeline& t) { t.stages[0].firings.assign(1000, {.number = 1, .end = std::int64_t{1} << 53}); }),
      HasSubstr("times are too far apart"));
}

}  // namespace
}  // namespace dflash
