// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace dflash {
namespace {

using ::testing::Each;
using ::testing::Le;

constexpr double kPromisedError = 0.032;

double relative_error(std::int64_t found, std::int64_t exact) {
  return std::abs(static_cast<double>(found - exact)) / static_cast<double>(exact);
}

TEST(Histogram, HoldsItsSumAtTheGreatestNumber) {
  Histogram histogram;
  histogram.record(std::numeric_limits<std::int64_t>::max());
  histogram.record(5);
  EXPECT_EQ(histogram.sum(), std::numeric_limits<std::int64_t>::max());
}

TEST(Histogram, IsZeroEverywhereWhenEmpty) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0);
  EXPECT_EQ(histogram.mean(), 0.0);
  EXPECT_EQ(histogram.quantile(0.5), 0);
  EXPECT_EQ(histogram.max(), 0);
}

TEST(Histogram, IsExactBelow64) {
  Histogram histogram;
  for (std::int64_t value = 1; value <= 63; ++value) {
    histogram.record(value);
  }
  EXPECT_EQ(histogram.quantile(0.0), 1);
  EXPECT_EQ(histogram.quantile(0.5), 32);
  EXPECT_EQ(histogram.quantile(1.0), 63);
}

TEST(Histogram, KeepsEverySingleValueWithinThePromisedError) {
  std::vector<double> errors;
  for (std::int64_t value = 1; value < std::numeric_limits<std::int64_t>::max() / 3; value += 1 + value / 97) {
    Histogram histogram;
    histogram.record(value);
    histogram.record(std::numeric_limits<std::int64_t>::max() / 2);
    errors.push_back(relative_error(histogram.quantile(0.5), value));
  }
  EXPECT_THAT(errors, Each(Le(kPromisedError)));
}

TEST(Histogram, KeepsQuantilesOfManyValuesWithinThePromisedError) {
  std::mt19937_64 random{7};
  std::lognormal_distribution<double> durations{13.0, 1.5};
  Histogram histogram;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(static_cast<std::int64_t>(durations(random)) + 1);
    histogram.record(values.back());
  }
  std::sort(values.begin(), values.end());
  std::vector<double> errors;
  for (const double q : {0.01, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size()))) - 1;
    errors.push_back(relative_error(histogram.quantile(q), values[rank]));
  }
  EXPECT_THAT(errors, Each(Le(kPromisedError)));
  EXPECT_EQ(histogram.max(), values.back());
}

TEST(Histogram, CountsSumsAndAveragesExactly) {
  Histogram histogram;
  histogram.record(1'000'000);
  histogram.record(2'000'001);
  EXPECT_EQ(histogram.count(), 2);
  EXPECT_EQ(histogram.sum(), 3'000'001);
  EXPECT_DOUBLE_EQ(histogram.mean(), 1'500'000.5);
}

TEST(Histogram, NeverReportsAQuantileAboveItsMaximum) {
  Histogram histogram;
  histogram.record(65'600);
  EXPECT_EQ(histogram.max(), 65'600);
  EXPECT_LE(histogram.quantile(0.99), 65'600);
}

TEST(Histogram, CountsNegativeValuesAsZero) {
  Histogram histogram;
  histogram.record(-5);
  EXPECT_EQ(histogram.count(), 1);
  EXPECT_EQ(histogram.sum(), 0);
  EXPECT_EQ(histogram.quantile(1.0), 0);
}

TEST(Histogram, TakesTheLargestValue) {
  Histogram histogram;
  histogram.record(std::numeric_limits<std::int64_t>::max());
  EXPECT_LE(relative_error(histogram.quantile(0.5), std::numeric_limits<std::int64_t>::max()), kPromisedError);
}

TEST(Histogram, EqualsRecordingEverythingInOneWhenMerged) {
  Histogram small;
  Histogram large;
  Histogram both;
  for (std::int64_t value = 1; value < 1'000'000; value *= 3) {
    small.record(value);
    large.record(value * 1000);
    both.record(value);
    both.record(value * 1000);
  }
  small.merge(large);
  EXPECT_EQ(small.count(), both.count());
  EXPECT_EQ(small.sum(), both.sum());
  EXPECT_EQ(small.max(), both.max());
  EXPECT_EQ(small.quantile(0.25), both.quantile(0.25));
  EXPECT_EQ(small.quantile(0.75), both.quantile(0.75));
}

TEST(Histogram, LeavesTheOriginalAloneWhenACopyGrows) {
  Histogram original;
  original.record(10);
  Histogram copy = original;
  copy.record(1'000'000);
  EXPECT_EQ(original.count(), 1);
  EXPECT_EQ(original.max(), 10);
}

}  // namespace
}  // namespace dflash
