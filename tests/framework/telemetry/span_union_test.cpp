// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/span_union.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dflash {
namespace {

TEST(SpanUnion, CountsEachMomentOnce) {
  SpanUnion spans;
  spans.add(10, 20);
  spans.add(15, 30);
  spans.add(40, 50);
  spans.add(0, 5);
  EXPECT_EQ(spans.covered(), 35);
  EXPECT_EQ(spans.sum(), 40);
  spans.add(0, 100);
  EXPECT_EQ(spans.covered(), 100);
  EXPECT_EQ(spans.pieces(), 1U);
}

TEST(SpanUnion, ForgettingKeepsWhatIsCovered) {
  SpanUnion spans;
  for (std::int64_t i = 0; i < 100; ++i) {
    spans.add(10 * i, 10 * i + 3);
  }
  spans.settle_all_but(2);
  EXPECT_EQ(spans.pieces(), 2U);
  EXPECT_EQ(spans.covered(), 300);
  spans.add(975, 990);  // what lies in the forgotten time is not counted again
  EXPECT_EQ(spans.covered(), 300 + 7 + 5);
}

RC_GTEST_PROP(SpanUnion, CoversWhatTheMomentsOfAllSpansCover, ()) {
  const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 60), rc::gen::inRange(0, 60)));
  SpanUnion spans;
  std::set<int> moments;
  for (const auto& [a, b] : pairs) {
    spans.add(std::min(a, b), std::max(a, b));
    for (int moment = std::min(a, b); moment < std::max(a, b); ++moment) {
      moments.insert(moment);
    }
  }
  RC_ASSERT(spans.covered() == static_cast<std::int64_t>(moments.size()));
}

}  // namespace
}  // namespace dflash
