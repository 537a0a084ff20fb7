// SPDX-License-Identifier: Apache-2.0
#include "framework/report/latency_buckets.h"

#include <cstdint>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dflash {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LatencyBuckets, AreAsFineAsTheNumberAllows) {
  const LatencyBuckets fine = latency_buckets({1024, 1024, 1150, 2047}, 8);
  EXPECT_THAT(fine.counts, ElementsAre(2, 1, 0, 0, 0, 0, 0, 1));
  EXPECT_DOUBLE_EQ(fine.bounds_ns.front(), 1024.0);
  EXPECT_DOUBLE_EQ(fine.bounds_ns.back(), 2048.0);
  EXPECT_THAT(latency_buckets({1024, 1024, 1150, 2047}, 2).counts, ElementsAre(3, 1));
}

TEST(LatencyBuckets, OneDurationIsOneBucket) {
  EXPECT_THAT(latency_buckets({5'000'000, 5'000'000}, 30).counts, ElementsAre(2));
  EXPECT_THAT(latency_buckets({0, -3, 1}, 30).counts, ElementsAre(3));
  EXPECT_THAT(latency_buckets({}, 30).counts, IsEmpty());
}

RC_GTEST_PROP(LatencyBuckets, HoldEveryDuration, ()) {
  const auto durations = *rc::gen::nonEmpty<std::vector<std::int64_t>>();
  const auto most = *rc::gen::inRange<std::size_t>(1, 40);
  const LatencyBuckets buckets = latency_buckets(durations, most);
  RC_ASSERT(buckets.counts.size() <= most);
  RC_ASSERT(buckets.bounds_ns.size() == buckets.counts.size() + 1);
  RC_ASSERT(std::accumulate(buckets.counts.begin(), buckets.counts.end(), std::int64_t{0}) ==
            static_cast<std::int64_t>(durations.size()));
}

}  // namespace
}  // namespace dflash
