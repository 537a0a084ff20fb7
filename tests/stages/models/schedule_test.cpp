// SPDX-License-Identifier: Apache-2.0
#include "stages/models/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(Schedule, WarmsUpInEqualPartsToThePeak) {
  const Schedule schedule{.lr = 1.0, .warmup_ratio = 0.04, .steps = 100};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 0), 0.25);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 3), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 4), 1.0);
}

TEST(Schedule, FallsAlongHalfACosineToTheFloor) {
  const Schedule schedule{.lr = 1.0, .lr_min = 0.2, .warmup_ratio = 0, .steps = 100};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 0), 1.0);
  EXPECT_NEAR(learning_rate(schedule, 50), 0.6, 1e-12);
  EXPECT_NEAR(learning_rate(schedule, 99), 0.2, 1e-3);
}

TEST(Schedule, FallsLinearlyToZero) {
  const Schedule schedule{.type = ScheduleType::kLinear, .lr = 1.0, .warmup_ratio = 0.2, .steps = 10};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 2), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 6), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 9), 0.125);
}

TEST(Schedule, StaysAtThePeakUntilTheLastPart) {
  const Schedule schedule{.type = ScheduleType::kWsd, .lr = 1.0, .lr_min = 0.5, .warmup_ratio = 0, .steps = 100};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 79), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 80), 1.0);
  EXPECT_NEAR(learning_rate(schedule, 90), 0.75, 1e-12);
}

TEST(Schedule, StaysFiniteForASingleStep) {
  EXPECT_DOUBLE_EQ(learning_rate({.lr = 1.0, .warmup_ratio = 1.0, .steps = 1}, 0), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate({.lr = 1.0, .warmup_ratio = 0, .steps = 1}, 0), 1.0);
}

}  // namespace
}  // namespace dflash
