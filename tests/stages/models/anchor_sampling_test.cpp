// SPDX-License-Identifier: Apache-2.0
#include "stages/models/anchor_sampling.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Lt;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::int64_t> shifted(std::vector<std::int64_t> places, std::int64_t by) {
  std::transform(places.begin(), places.end(), places.begin(), [by](std::int64_t place) { return place + by; });
  return places;
}

TEST(AnchorSampling, NeedsTheTokenAndItsNextSupervisedInsideTheDocument) {
  const std::vector<std::uint8_t> mask{0, 1, 1, 0, 1, 1, 1, 1};
  EXPECT_THAT(eligible_anchors(mask, {.row = 0, .begin = 0, .length = 6}), ElementsAre(1, 4));
  EXPECT_THAT(eligible_anchors(mask, {.row = 1, .begin = 6, .length = 2}), ElementsAre(6));
  EXPECT_THAT(eligible_anchors(mask, {.row = 1, .begin = 2, .length = 2}), IsEmpty());
}

TEST(AnchorSampling, SharesSlotsByLengthAndPassesOnWhatADocumentCannotUse) {
  EXPECT_THAT(share_anchor_slots({100, 100}, {30, 10}, 8), ElementsAre(6, 2));
  EXPECT_THAT(share_anchor_slots({2, 100}, {30, 10}, 8), ElementsAre(2, 6));
  EXPECT_THAT(share_anchor_slots({2, 3}, {3, 4}, 8), ElementsAre(2, 3));
  EXPECT_THAT(share_anchor_slots({5, 0, 5}, {6, 1, 6}, 3), ElementsAre(2, 0, 1));
}

TEST(AnchorSampling, DrawsDistinctAscendingEligiblePlaces) {
  const std::vector<std::uint8_t> mask(100, 1);
  const auto anchors = sample_anchors(mask, {{7, 10, 50}}, {.num_anchors = 20});
  EXPECT_THAT(anchors, AllOf(SizeIs(20), Each(AllOf(Ge(10), Lt(59)))));
  EXPECT_TRUE(std::is_sorted(anchors.begin(), anchors.end()));
  EXPECT_EQ(std::adjacent_find(anchors.begin(), anchors.end()), anchors.end());
}

TEST(AnchorSampling, DrawsTheSameForARowWhereverItStands) {
  const std::vector<std::uint8_t> mask(100, 1);
  const AnchorPolicy policy{.num_anchors = 64, .per_document = 8, .seed = 3};
  const auto alone = sample_anchors(mask, {{7, 0, 40}}, policy);
  const auto packed = sample_anchors(mask, {{5, 0, 30}, {7, 30, 40}}, policy);
  EXPECT_THAT(packed, IsSupersetOf(shifted(alone, 30)));
  EXPECT_THAT(packed, SizeIs(16));
}

TEST(AnchorSampling, DrawsAnewEachEpochAndSeed) {
  const std::vector<std::uint8_t> mask(100, 1);
  const std::vector<PackDocument> documents{{7, 0, 100}};
  const auto first = sample_anchors(mask, documents, {.num_anchors = 10, .seed = 3});
  EXPECT_EQ(sample_anchors(mask, documents, {.num_anchors = 10, .seed = 3}), first);
  EXPECT_NE(sample_anchors(mask, {{7, 0, 100, 1}}, {.num_anchors = 10, .seed = 3}), first);
  EXPECT_NE(sample_anchors(mask, documents, {.num_anchors = 10, .seed = 4}), first);
}

TEST(AnchorSampling, HitsEveryPlaceAboutEquallyOften) {
  const std::vector<std::uint8_t> mask(11, 1);
  std::vector<int> hits(10, 0);
  for (std::uint64_t epoch = 0; epoch < 2000; ++epoch) {
    for (const auto anchor : sample_anchors(mask, {{7, 0, 11, epoch}}, {.num_anchors = 5})) {
      ++hits[static_cast<std::size_t>(anchor)];
    }
  }
  EXPECT_THAT(hits, Each(AllOf(Ge(900), Lt(1100))));
}

TEST(AnchorSampling, GivesNothingWithoutAnEligiblePlace) {
  const std::vector<std::uint8_t> mask{0, 1, 0, 1};
  EXPECT_THAT(sample_anchors(mask, {{0, 0, 4}}, {.num_anchors = 4}), IsEmpty());
}

}  // namespace
}  // namespace dflash
