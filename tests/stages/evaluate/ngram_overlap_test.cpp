// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/ngram_overlap.h"

#include <numeric>

#include <gmock/gmock.h>

namespace dflash {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

std::vector<std::int64_t> counting(std::int64_t first, std::size_t length) {
  std::vector<std::int64_t> tokens(length);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

TEST(NgramOverlap, IsOneWhereNothingRepeats) { EXPECT_THAT(distinct_ngram_share(counting(0, 30)), DoubleEq(1.0)); }

TEST(NgramOverlap, CountsRepeatsWithinAnAnswer) {
  // 24 tokens of period 8: 17 8-grams, 8 distinct.
  std::vector<std::int64_t> tokens;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto period = counting(0, 8);
    tokens.insert(tokens.end(), period.begin(), period.end());
  }
  EXPECT_THAT(distinct_ngram_share(tokens), DoubleEq(8.0 / 17.0));
}

TEST(NgramOverlap, TellsOrderApart) {
  NgramSet set;
  set.add({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(set.share_of({8, 7, 6, 5, 4, 3, 2, 1}).known, 0);
  EXPECT_EQ(set.share_of({1, 2, 3, 4, 5, 6, 7, 8}).known, 1);
}

TEST(NgramOverlap, SharesOnlyWholeNgrams) {
  NgramSet set;
  set.add(counting(0, 20));
  std::vector<std::int64_t> tokens = counting(5, 10);
  tokens.push_back(999);
  const NgramSet::Share share = set.share_of(tokens);
  EXPECT_EQ(share.known, 3);
  EXPECT_EQ(share.all, 4);
}

TEST(NgramOverlap, TakesShortAnswersAsHavingNone) {
  NgramSet set;
  set.add(counting(0, 7));
  EXPECT_EQ(set.size(), 0);
  EXPECT_THAT(distinct_ngram_share(counting(0, 7)), DoubleEq(1.0));
  EXPECT_THAT(set.share_of(counting(0, 7)).value(), DoubleEq(0.0));
}

TEST(NgramOverlap, SplitsOffTheHalfOfLowerOverlap) {
  NgramSet training;
  training.add(counting(0, 30));
  const auto report = measure_overlap({counting(0, 20), counting(100, 20), counting(15, 20)}, training);
  EXPECT_THAT(report.lower, ElementsAre(1U, 2U));
  EXPECT_THAT(report.in_training, DoubleEq((13.0 + 0.0 + 8.0) / 39.0));
  EXPECT_THAT(report.distinct, DoubleEq(1.0));
}

TEST(NgramOverlap, SplitsEqualOverlapsByOrder) {
  const auto report = measure_overlap({counting(0, 9), counting(9, 9), counting(18, 9), counting(27, 9)}, NgramSet{});
  EXPECT_THAT(report.lower, ElementsAre(0U, 1U));
}

}  // namespace
}  // namespace dflash
