// SPDX-License-Identifier: Apache-2.0
#include "framework/report/time_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

const std::vector<std::int64_t>& of(const StateSeries& series, SlotState state) {
  return series.at(static_cast<std::size_t>(state));
}

TEST(StatesOverTime, CutFiringsAtTheBins) {
  Timeline timeline{.wall_ns = 400};
  timeline.stages.push_back(
      {.name = "sink",
       .firings = {{.number = 1, .free = 0, .ready = 90, .begin = 110, .end = 250, .starved = 60},
                   {.number = 2, .free = 250, .ready = 280, .begin = 280, .end = 310, .blocked = 30}}});
  timeline.stages.push_back({.name = "source"});
  const auto series = states_over_time(timeline, TimeBins::equal(0, 400, 4));
  EXPECT_THAT(of(series[0], SlotState::kStarved), ElementsAre(60, 0, 0, 0));
  EXPECT_THAT(of(series[0], SlotState::kGpuWait), ElementsAre(30, 0, 0, 0));
  EXPECT_THAT(of(series[0], SlotState::kDispatch), ElementsAre(10, 10, 0, 0));
  EXPECT_THAT(of(series[0], SlotState::kBusy), ElementsAre(0, 90, 70, 10));
  EXPECT_THAT(of(series[0], SlotState::kBlocked), ElementsAre(0, 0, 30, 0));
  EXPECT_THAT(of(series[1], SlotState::kBusy), ElementsAre(0, 0, 0, 0));
}

TEST(FillOverTime, IsWeighedByTime) {
  const std::vector<ItemEvent> items{
      {.pushed = 0, .popped = 150}, {.pushed = 50, .popped = 150}, {.pushed = 160, .popped = 200}};
  const FillSeries series = fill_over_time(items, TimeBins::equal(0, 400, 4));
  EXPECT_THAT(series.mean, ElementsAre(1.5, 1.4, 0.0, 0.0));
  EXPECT_THAT(series.max, ElementsAre(2, 2, 0, 0));
}

TEST(FillOverTime, CountsWhatWasInsideBeforeTheFirstBin) {
  const FillSeries series = fill_over_time({{.pushed = 10, .popped = 350}}, TimeBins::equal(200, 400, 2));
  EXPECT_THAT(series.mean, ElementsAre(1.0, 0.5));
  EXPECT_THAT(fill_over_time({}, TimeBins::equal(0, 4, 2)).mean, ElementsAre(0.0, 0.0));
}

TEST(UsageOverTime, KeepsTheLastCountsAndTheMostMemory) {
  std::vector<UsageEvent> usage;
  for (std::int64_t i = 0; i < 10; ++i) {
    usage.push_back({.at = i * 10, .memory_bytes = i == 3 ? 99 : i, .maps = i});
  }
  const auto kept = usage_over_time(usage, 2);
  EXPECT_THAT(kept, ElementsAre(Field(&UsageEvent::maps, 4), Field(&UsageEvent::maps, 9)));
  EXPECT_EQ(kept[0].memory_bytes, 99);
  EXPECT_EQ(usage_over_time(usage, 10).size(), 10);
}

}  // namespace
}  // namespace dflash
