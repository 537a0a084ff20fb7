// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/device_lateness.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Four firings whose work ends at 100, 200, 300 and 400.
Timeline on_device() {
  Timeline timeline;
  timeline.stages.resize(3);
  timeline.stages[0].name = "source";
  timeline.stages[1].name = "net";
  timeline.stages[1].device = "sim:0";
  timeline.stages[1].lane = "sim:0 net";
  timeline.stages[2].name = "sink";
  for (std::int64_t i = 1; i <= 4; ++i) {
    timeline.stages[1].firings.push_back({.number = i, .ready = i, .begin = i, .end = i});
    timeline.stages[1].device_firings.push_back({.number = i, .queued = i, .begin = 100 * i - 100, .end = 100 * i});
  }
  return timeline;
}

void add_sink(Timeline& timeline, const std::vector<std::int64_t>& ready) {
  timeline.edges.push_back({.name = "net.out->sink.in", .from_stage = 1, .to_stage = 2, .capacity_items = 9});
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i) + 1;
    timeline.stages[2].firings.push_back({.number = number, .ready = ready[i], .begin = ready[i], .end = ready[i]});
    timeline.edges.back().items.push_back({.from_firing = number, .to_firing = number});
  }
}

TEST(DeviceLateness, IsWhatTheConsumerOnTheHostWaitedOverTheDevice) {
  Timeline timeline = on_device();
  timeline.stages[1].firings.resize(1);  // which tells nothing by itself
  add_sink(timeline, {107, 205, 300, 406});
  EXPECT_THAT(device_lateness(timeline, 1), ElementsAre(Pair(1, 7), Pair(2, 5), Pair(3, 0), Pair(4, 6)));
}

TEST(DeviceLateness, LiesBelowTheBeginOfTheStagesFiringAfterTheNext) {
  Timeline timeline = on_device();
  timeline.stages[1].firings[2].ready = 103;
  timeline.stages[1].firings[3].ready = 204;
  EXPECT_THAT(device_lateness(timeline, 1), ElementsAre(Pair(1, 3), Pair(2, 4), Pair(3, 4), Pair(4, 4)));
}

TEST(DeviceLateness, LiesBelowTheArrivalOfTheItemThatGotThePlace) {
  Timeline timeline = on_device();
  timeline.stages[1].firings.resize(1);
  timeline.edges.push_back({.name = "source.out->net.in", .from_stage = 0, .to_stage = 1, .capacity_items = 1});
  for (std::int64_t i = 1; i <= 4; ++i) {
    const std::int64_t free = 100 * i - 98;
    timeline.stages[0].firings.push_back({.number = i, .ready = free, .begin = free, .end = free + 10});
    timeline.edges[0].items.push_back({.from_firing = i, .to_firing = i, .pushed = free + 10, .popped = free + 11});
  }
  EXPECT_THAT(device_lateness(timeline, 1), ElementsAre(Pair(1, 2), Pair(2, 2), Pair(3, 2), Pair(4, 2)));
}

TEST(DeviceLateness, TakesNothingForMuchLaterThanUsual) {
  Timeline timeline = on_device();
  timeline.stages[1].firings.resize(1);
  add_sink(timeline, {110, 210, 390, 410});  // the third waited for something else
  EXPECT_THAT(device_lateness(timeline, 1), ElementsAre(Pair(1, 10), Pair(2, 10), Pair(3, 40), Pair(4, 10)));
}

TEST(DeviceLateness, IsUnknownWhereNothingDependedOnIt) {
  Timeline timeline = on_device();
  timeline.stages[1].firings.resize(1);
  EXPECT_THAT(device_lateness(timeline, 0), IsEmpty());
  EXPECT_THAT(device_lateness(timeline, 1), IsEmpty());
}

}  // namespace
}  // namespace dflash
