// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/recent.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(Recent, KeepsAllWhileThereAreFew) {
  Recent<int> recent;
  recent.add(1);
  recent.add(2);
  EXPECT_EQ(recent.oldest_first(), (std::vector<int>{1, 2}));
  EXPECT_EQ(recent.lost(), 0);
}

TEST(Recent, KeepsTheNewestOldestFirst) {
  Recent<std::int64_t> recent;
  const auto most = static_cast<std::int64_t>(Recent<std::int64_t>::kMost);
  for (std::int64_t i = 0; i < most + 3; ++i) {
    recent.add(i);
  }
  const std::vector<std::int64_t> kept = recent.oldest_first();
  EXPECT_EQ(static_cast<std::int64_t>(kept.size()), most);
  EXPECT_EQ(kept.front(), 3);
  EXPECT_EQ(kept.back(), most + 2);
  EXPECT_EQ(recent.lost(), 3);
  EXPECT_EQ(recent.count(), most + 3);
}

}  // namespace
}  // namespace dflash
