// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/enabler.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

using Kind = Enabler::Kind;

TEST(Enabler, AllOfTheTimeIsChargedToWhatCameLast) {
  Enabler last{.kind = Kind::kInput, .port = 1, .at = 40};
  last.latest({.kind = Kind::kOutput, .port = 0, .at = 50});
  last.latest({.kind = Kind::kInput, .port = 2, .at = 45});
  const FiringEvent event = last.begins(10, 60);
  EXPECT_EQ(event.free, 10);
  EXPECT_EQ(event.ready, 50);
  EXPECT_EQ(event.begin, 60);
  EXPECT_EQ(event.starved, 0);
  EXPECT_EQ(event.blocked, 40);
  EXPECT_EQ(event.gpu_wait(), 0);
}

TEST(Enabler, AnInputThatItsDeviceStillMadeIsTheDevicesFromItsArrivalOn) {
  const FiringEvent event = Enabler{.kind = Kind::kInput, .at = 30, .device_at = 50}.begins(10, 60);
  EXPECT_EQ(event.starved, 20);
  EXPECT_EQ(event.gpu_wait(), 20);
  EXPECT_EQ(event.ready, 50);
}

TEST(Enabler, WaitingForItsOwnWorkOnTheDeviceIsTheDevices) {
  EXPECT_EQ((Enabler{.kind = Kind::kDevice, .at = 50}.begins(10, 60).gpu_wait()), 40);
}

TEST(Enabler, WhatWasThereBeforeTheSlotWasFreeTookNoTime) {
  const FiringEvent event = Enabler{.kind = Kind::kInput, .at = 5, .device_at = 7}.begins(10, 12);
  EXPECT_EQ(event.ready, 10);
  EXPECT_EQ(event.starved + event.blocked + event.gpu_wait(), 0);
}

TEST(Enabler, NothingToWaitForIsWaitingForAWorker) {
  const FiringEvent event = Enabler{}.begins(10, 60);
  EXPECT_EQ(event.ready, 10);
  EXPECT_EQ(event.begin, 60);
}

// Stamps of two threads may be out of order by a lock's wait.
TEST(Enabler, TimeNeverRunsBackwards) {
  const FiringEvent event = Enabler{.kind = Kind::kInput, .at = 80, .device_at = 90}.begins(10, 60);
  EXPECT_EQ(event.starved, 50);
  EXPECT_EQ(event.gpu_wait(), 0);
  EXPECT_EQ(Enabler{}.begins(10, 8).begin, 10);
}

}  // namespace
}  // namespace dflash
