// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/aligned_work.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// From `first` to `last`, each as dear as its number.
WorkSeries numbered(std::int64_t first, std::int64_t last) {
  WorkSeries series;
  for (std::int64_t number = first; number <= last; ++number) {
    series.push_back({.number = number, .cost = static_cast<double>(number)});
  }
  return series;
}

TEST(AlignedWork, TakesTheSameStepsWithoutTheFirstTenth) {
  const AlignedWork work = align({numbered(2, 11)}, {numbered(2, 8), numbered(3, 20)});
  EXPECT_TRUE(work.same_numbers);
  EXPECT_EQ(work.samples, 5U);
  EXPECT_THAT(work.a, ElementsAre(ElementsAre(4, 5, 6, 7, 8)));
  EXPECT_THAT(work.b, SizeIs(2));
  EXPECT_THAT(work.b, Each(work.a.front()));
}

TEST(AlignedWork, CutsManyStepsIntoBlocks) {
  const AlignedWork work = align({numbered(1, 1000)}, {numbered(1, 1000)});
  EXPECT_EQ(work.samples, 900U);
  ASSERT_THAT(work.a.front(), SizeIs(kMostBlocks));
  EXPECT_DOUBLE_EQ(work.a.front().front(), 123.0);  // 101 to 145
}

TEST(AlignedWork, LetsRunsWithoutCommonStepsStandForThemselves) {
  const AlignedWork work = align({numbered(1, 10)}, {numbered(9, 38)});
  EXPECT_FALSE(work.same_numbers);
  EXPECT_EQ(work.samples, 9U);
  EXPECT_THAT(work.a.front(), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(work.b.front(), ElementsAre(13, 16, 19, 22, 25, 28, 31, 34, 37));
}

TEST(AlignedWork, DividesByTheWork) {
  const WorkSeries series{{1, 9, 9}, {2, 10, 2}, {3, 30, 3}};
  EXPECT_THAT(align({series}, {series}).b, ElementsAre(ElementsAre(5, 10)));
}

TEST(AlignedWork, MakesNoBlocksOfNothing) {
  EXPECT_THAT(align({WorkSeries{}}, {numbered(1, 10)}).a, ElementsAre(IsEmpty()));
  EXPECT_THAT(align({WorkSeries{}}, {numbered(1, 10)}).b, ElementsAre(IsEmpty()));
  EXPECT_EQ(align({}, {}).samples, 0U);
}

}  // namespace
}  // namespace dflash
