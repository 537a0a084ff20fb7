// SPDX-License-Identifier: Apache-2.0
#include "framework/core/counter_random.h"

#include <set>
#include <vector>

#include <gmock/gmock.h>

namespace dflash {
namespace {

TEST(CounterRandom, RepeatsForTheSameKeys) { EXPECT_EQ(counter_random(1, {2, 3}), counter_random(1, {2, 3})); }

TEST(CounterRandom, DependsOnSeedOnEachKeyAndOnTheirOrder) {
  const std::set<std::uint64_t> values{counter_random(1, {2, 3}), counter_random(2, {2, 3}), counter_random(1, {3, 2}),
                                       counter_random(1, {2, 4}), counter_random(1, {2})};
  EXPECT_THAT(values, testing::SizeIs(5));
}

TEST(CounterUniform, FillsTheUnitIntervalEvenly) {
  std::vector<int> counts(10, 0);
  for (std::uint64_t draw = 0; draw < 10000; ++draw) {
    ++counts[static_cast<std::size_t>(counter_uniform(7, {draw}) * 10)];
  }
  EXPECT_THAT(counts, testing::Each(testing::AllOf(testing::Gt(900), testing::Lt(1100))));
}

}  // namespace
}  // namespace dflash
