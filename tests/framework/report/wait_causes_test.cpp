// SPDX-License-Identifier: Apache-2.0
#include "framework/report/wait_causes.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// a -> b with room for one item.
Timeline pair_of_stages() {
  Timeline timeline{.wall_ns = 100 * kMs};
  timeline.stages.push_back({.name = "a"});
  timeline.stages.push_back({.name = "b"});
  timeline.edges.push_back({.name = "a.out->b.in", .from_stage = 0, .to_stage = 1, .capacity_items = 1});
  return timeline;
}

FiringEvent firing(std::int64_t number, std::int64_t free, std::int64_t ready) {
  return {.number = number, .free = free * kMs, .ready = ready * kMs, .begin = ready * kMs, .end = (ready + 1) * kMs};
}

ItemEvent item(std::int64_t number, std::int64_t pushed, std::int64_t popped) {
  return {
      .seq = number - 1, .from_firing = number, .to_firing = number, .pushed = pushed * kMs, .popped = popped * kMs};
}

TEST(WaitCauses, AStageIsStarvedUntilItsInputCame) {
  Timeline timeline = pair_of_stages();
  timeline.edges[0].items = {item(1, 10, 10), item(2, 30, 30)};
  EXPECT_EQ(WaitCauses{timeline}.cause(1, firing(2, 11, 30)), SlotState::kStarved);
}

TEST(WaitCauses, AStageIsBlockedUntilItsEdgeHadRoom) {
  Timeline timeline = pair_of_stages();
  timeline.edges[0].items = {item(1, 10, 40), item(2, 42, 60)};
  EXPECT_EQ(WaitCauses{timeline}.cause(0, firing(2, 11, 40)), SlotState::kBlocked);
}

TEST(WaitCauses, AnEdgeToADeviceHasRoomOnceTheDeviceIsDoneWithAnItem) {
  Timeline timeline = pair_of_stages();
  timeline.stages.push_back({.name = "source"});
  timeline.edges.push_back(
      {.name = "in", .from_stage = 2, .to_stage = 0, .capacity_items = 4, .items = {item(2, 30, 40)}});
  timeline.stages[1].device_firings = {{.number = 1, .begin = 15 * kMs, .end = 40 * kMs}};
  timeline.edges[0].items = {item(1, 10, 12), item(2, 42, 60)};
  EXPECT_EQ(WaitCauses{timeline}.cause(0, firing(2, 11, 40)), SlotState::kBlocked);
}

TEST(WaitCauses, OneThatPushesNothingNeedsRoomForItsNext) {
  Timeline timeline = pair_of_stages();
  ItemEvent late = item(2, 70, 80);
  late.from_firing = 4;
  timeline.edges[0].items = {item(1, 10, 40), late};
  timeline.edges.push_back(
      {.name = "in", .from_stage = 1, .to_stage = 0, .capacity_items = 4, .items = {item(2, 20, 40)}});
  EXPECT_EQ(WaitCauses{timeline}.cause(0, firing(2, 11, 40)), SlotState::kBlocked);
}

TEST(WaitCauses, WhatComesLastIsTheCause) {
  Timeline timeline = pair_of_stages();
  timeline.stages.push_back({.name = "c"});
  timeline.edges.push_back({.name = "b.out->c.in", .from_stage = 1, .to_stage = 2, .capacity_items = 1});
  timeline.edges[0].items = {item(1, 10, 12), item(2, 30, 50)};
  timeline.edges[1].items = {item(1, 13, 50), item(2, 51, 60)};
  EXPECT_EQ(WaitCauses{timeline}.cause(1, firing(2, 13, 50)), SlotState::kBlocked);
  timeline.edges[0].items[1].pushed = 50 * kMs;
  timeline.edges[1].items[0].popped = 30 * kMs;
  EXPECT_EQ(WaitCauses{timeline}.cause(1, firing(2, 13, 50)), SlotState::kStarved);
}

TEST(WaitCauses, AnInputThatTheDeviceHasNotMadeYetIsTheDevices) {
  Timeline timeline = pair_of_stages();
  timeline.stages[0].device_firings = {{.number = 2, .begin = 25 * kMs, .end = 50 * kMs}};
  timeline.edges[0].items = {item(1, 10, 12), item(2, 20, 50)};
  EXPECT_EQ(WaitCauses{timeline}.cause(1, firing(2, 13, 50)), SlotState::kGpuWait);
}

TEST(WaitCauses, SoIsAFiringOfItsOwnThatIsStillUnderWayThere) {
  Timeline timeline = pair_of_stages();
  timeline.stages[1].device_firings = {{.number = 1, .begin = 15 * kMs, .end = 50 * kMs}};
  timeline.edges[0].items = {item(1, 10, 12), item(2, 20, 50)};
  EXPECT_EQ(WaitCauses{timeline}.cause(1, firing(2, 13, 50)), SlotState::kGpuWait);
  EXPECT_EQ(WaitCauses{timeline}.cause(1, firing(2, 13, 20)), SlotState::kStarved) << "it did not wait for the device";
}

TEST(WaitCauses, WithoutTheItemsASourceIsBlockedAndOthersAreStarved) {
  Timeline timeline = pair_of_stages();
  timeline.edges[0].items = {item(9, 80, 90)};
  EXPECT_EQ(WaitCauses{timeline}.cause(0, firing(2, 11, 40)), SlotState::kBlocked);
  EXPECT_EQ(WaitCauses{timeline}.cause(1, firing(2, 11, 40)), SlotState::kStarved);
}

}  // namespace
}  // namespace dflash
