// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stamp_cost.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(StampCost, IsThatOfSeveralLooksAtTheClock) {
  const std::int64_t cost = stamp_cost_ns();
  EXPECT_GT(cost, 10);
  EXPECT_LT(cost, 100'000);
}

}  // namespace
}  // namespace dflash
