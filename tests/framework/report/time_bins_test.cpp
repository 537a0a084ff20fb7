// SPDX-License-Identifier: Apache-2.0
#include "framework/report/time_bins.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::map<std::size_t, std::int64_t> cut(const TimeBins& bins, std::int64_t from, std::int64_t to) {
  std::map<std::size_t, std::int64_t> parts;
  bins.cut(from, to, [&](std::size_t bin, std::int64_t ns) { parts[bin] += ns; });
  return parts;
}

TEST(TimeBins, CutAStretchWhereBinsMeet) {
  const TimeBins bins{{10, 20, 25, 40}};
  EXPECT_THAT(cut(bins, 15, 30), ElementsAre(Pair(0, 5), Pair(1, 5), Pair(2, 5)));
  EXPECT_THAT(cut(bins, 20, 25), ElementsAre(Pair(1, 5)));
  EXPECT_THAT(cut(bins, 0, 100), ElementsAre(Pair(0, 10), Pair(1, 5), Pair(2, 15)));
}

TEST(TimeBins, TakeNothingFromOutside) {
  const TimeBins bins{{10, 20}};
  EXPECT_THAT(cut(bins, 0, 10), IsEmpty());
  EXPECT_THAT(cut(bins, 20, 30), IsEmpty());
  EXPECT_THAT(cut(bins, 15, 15), IsEmpty());
  EXPECT_THAT(cut(bins, 18, 12), IsEmpty());
  EXPECT_THAT(cut(TimeBins{{}}, 0, 10), IsEmpty());
}

TEST(TimeBins, CoverTheWholeEvenly) {
  const TimeBins bins = TimeBins::equal(5, 16, 4);
  ASSERT_EQ(bins.size(), 4);
  EXPECT_EQ(bins.begin(), 5);
  EXPECT_EQ(bins.end(), 16);
  std::int64_t sum = 0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    EXPECT_GE(bins.length(bin), 2);
    EXPECT_LE(bins.length(bin), 3);
    sum += bins.length(bin);
  }
  EXPECT_EQ(sum, 11);
}

TEST(TimeBins, AreFewerWhereTimeIsShortAndDoNotOverflow) {
  EXPECT_EQ(TimeBins::equal(0, 3, 100).size(), 3);
  EXPECT_EQ(TimeBins::equal(7, 7, 10).size(), 0);
  EXPECT_EQ(TimeBins::equal(7, 3, 10).size(), 0);
  constexpr std::int64_t kYear = 365LL * 24 * 3600 * 1'000'000'000;
  EXPECT_EQ(TimeBins::equal(0, 100 * kYear, 400).end(), 100 * kYear);
}

TEST(TimeBins, FindTheBinOfATime) {
  const TimeBins bins{{10, 20, 25}};
  EXPECT_EQ(bins.bin_of(0), 0);
  EXPECT_EQ(bins.bin_of(19), 0);
  EXPECT_EQ(bins.bin_of(20), 1);
  EXPECT_EQ(bins.bin_of(99), 1);
}

}  // namespace
}  // namespace dflash
