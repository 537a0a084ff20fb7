// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/hidden_launch.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// One firing: its body from 100 to `body_end`, its work on the device from `begin` to `end`.
StageTimeline one_firing(std::int64_t body_end, std::int64_t begin, std::int64_t end) {
  StageTimeline stage;
  stage.firings = {{.number = 1, .ready = 100, .begin = 100, .end = body_end}};
  stage.device_firings = {{.number = 1, .queued = 100, .begin = begin, .end = end}};
  return stage;
}

TEST(HiddenLaunch, IsTheBodysPartBeforeItsInputsWereMade) {
  EXPECT_THAT(hidden_launches(one_firing(430, 400, 431)), ElementsAre(Pair(1, 300)));
}

TEST(HiddenLaunch, IsNoneWhereTheBodyWasOverBefore) {
  EXPECT_THAT(hidden_launches(one_firing(150, 400, 431)), IsEmpty());
}

TEST(HiddenLaunch, IsNotWhatALaunchTakesToReachTheDevice) {
  EXPECT_THAT(hidden_launches(one_firing(200, 110, 210)), IsEmpty());
}

TEST(HiddenLaunch, IsNotTheWaitForTheStagesOwnWork) {
  StageTimeline stage = one_firing(430, 100, 410);
  stage.firings.push_back({.number = 2, .ready = 110, .begin = 110, .end = 450});
  stage.device_firings.push_back({.number = 2, .queued = 110, .begin = 410, .end = 500});
  EXPECT_THAT(hidden_launches(stage), IsEmpty());
  stage.device_firings.back().slot = 1;  // a slot has a stream of its own
  stage.firings.back().slot = 1;
  EXPECT_THAT(hidden_launches(stage), ElementsAre(Pair(2, 300)));
}

TEST(HiddenLaunch, LeavesOutWhatHasLostItsBody) {
  StageTimeline stage = one_firing(430, 400, 431);
  stage.firings.clear();
  EXPECT_THAT(hidden_launches(stage), IsEmpty());
}

}  // namespace
}  // namespace dflash
