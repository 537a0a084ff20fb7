// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/live_view.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

/// source -> queue -> sink, all waiting.
LiveView three_stages() {
  LiveView view;
  for (const char* name : {"source", "queue", "sink"}) {
    view.stages.push_back({.name = name, .waiting_slots = 1});
  }
  view.edges.push_back({.name = "in", .from_stage = 0, .to_stage = 1, .capacity_items = 4});
  view.edges.push_back({.name = "out", .from_stage = 1, .to_stage = 2, .capacity_items = 4});
  view.edges.push_back({.name = "queue", .from_stage = 1, .to_stage = 1, .is_buffer = true, .capacity_items = 9});
  return view;
}

void fill(LiveEdge& edge) {
  edge.fill = edge.capacity_items;
  edge.is_full = true;
}

TEST(LiveView, AStageBehindAnEmptyEdgeLacksInput) {
  LiveView view = three_stages();
  find_lacks(view);
  EXPECT_EQ(view.stages[1].lacks, Lack::kInput);
  EXPECT_EQ(view.stages[2].lacks, Lack::kInput);
}

TEST(LiveView, AStageBeforeAFullEdgeLacksRoom) {
  LiveView view = three_stages();
  fill(view.edges[0]);
  find_lacks(view);
  EXPECT_EQ(view.stages[0].lacks, Lack::kRoom);
}

TEST(LiveView, AStageThatHasAllItNeedsLacksAWorker) {
  LiveView view = three_stages();
  view.edges[1].fill = 1;
  find_lacks(view);
  EXPECT_EQ(view.stages[0].lacks, Lack::kWorker);
  EXPECT_EQ(view.stages[2].lacks, Lack::kWorker);
}

TEST(LiveView, ABufferThatHoldsItemsBeforeAFullEdgeLacksRoomWithoutInputToo) {
  LiveView view = three_stages();
  fill(view.edges[1]);
  find_lacks(view);
  EXPECT_EQ(view.stages[1].lacks, Lack::kInput);
  view = three_stages();
  fill(view.edges[1]);
  view.edges[2].fill = 3;
  find_lacks(view);
  EXPECT_EQ(view.stages[1].lacks, Lack::kRoom);
}

TEST(LiveView, OneThatFiresLacksNothingAndWhatLacksADeviceStaysSo) {
  LiveView view = three_stages();
  view.stages[0].waiting_slots = 0;
  view.stages[2].lacks = Lack::kDevice;
  find_lacks(view);
  EXPECT_EQ(view.stages[0].lacks, Lack::kNothing);
  EXPECT_EQ(view.stages[2].lacks, Lack::kDevice);
}

TEST(LiveView, ARunBeginsGoesOnAndComesToItsEnd) {
  LiveView view;
  EXPECT_STREQ(phase_name(view), "starting");
  view = three_stages();
  view.is_under_way = true;
  EXPECT_STREQ(phase_name(view), "running");
  view.is_under_way = false;
  EXPECT_STREQ(phase_name(view), "finishing");
}

TEST(LiveView, EachLackHasAWord) {
  EXPECT_STREQ(lack_name(Lack::kNothing), "");
  EXPECT_STREQ(lack_name(Lack::kInput), "input");
  EXPECT_STREQ(lack_name(Lack::kRoom), "room");
  EXPECT_STREQ(lack_name(Lack::kDevice), "device");
  EXPECT_STREQ(lack_name(Lack::kWorker), "worker");
}

TEST(LiveView, TheBusiestStageIsThatOfTheTimeBetweenTwoLooks) {
  LiveView before = three_stages();
  before.wall_ns = 1000;
  before.stages[0].busy_ns = 1000;
  LiveView after = before;
  after.wall_ns = 1100;
  after.stages[0].busy_ns = 1010;
  after.stages[1].slots = 2;
  after.stages[1].busy_ns = 100;  // of 200
  after.stages[2].busy_ns = 80;
  const BusiestStage busiest = busiest_stage(before, after);
  EXPECT_EQ(busiest.name, "sink");
  EXPECT_DOUBLE_EQ(busiest.share, 0.8);
}

TEST(LiveView, BusyTimeNeverFalls) {
  LiveView before = three_stages();
  before.stages[0].busy_ns = 100;
  before.stages[1].busy_ns = 10;
  LiveView after = three_stages();
  after.stages[0].busy_ns = 99;
  after.stages[1].busy_ns = 20;
  keep_rising(before, after);
  EXPECT_EQ(after.stages[0].busy_ns, 100);
  EXPECT_EQ(after.stages[1].busy_ns, 20);
  keep_rising({}, after);
  EXPECT_EQ(after.stages[1].busy_ns, 20);
}

TEST(LiveView, TheFirstLookIsSinceTheBegin) {
  LiveView view = three_stages();
  view.wall_ns = 100;
  view.stages[1].busy_ns = 50;
  EXPECT_EQ(busiest_stage({}, view).name, "queue");
  EXPECT_DOUBLE_EQ(busiest_stage({}, view).share, 0.5);
  EXPECT_EQ(busiest_stage({}, {}).name, "");
}

}  // namespace
}  // namespace dflash
