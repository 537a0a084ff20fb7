// SPDX-License-Identifier: Apache-2.0
#include "stages/models/draft_cache.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "stages/models/drafter.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

class DraftCacheOfLayout : public ::testing::TestWithParam<GoldenLayout> {
 protected:
  GoldenProblem problem_ = golden_problem(GetParam());
  DrafterModel model_{problem_.config, problem_.weights, problem_.embedding};

  at::Tensor training_hidden() const {
    return drafter_forward(problem_.config, problem_.weights, problem_.embedding, problem_.features, problem_.layout())
        .view({5, 4, 16});
  }
  /// Features of tokens [begin, end) as one row.
  at::Tensor features(std::int64_t begin, std::int64_t end) const {
    return problem_.features.base.narrow(0, begin, end - begin).unsqueeze(0);
  }
};

TEST_P(DraftCacheOfLayout, DraftsWhatTrainingSaw) {
  DraftCache cache = make_draft_cache(model_, 1, 2);
  absorb_features(model_, cache, features(0, 4), {4});
  const at::Tensor first = draft_blocks(model_, cache, {problem_.ids[4]}, {4});
  absorb_features(model_, cache, features(4, 8), {2});
  const at::Tensor second = draft_blocks(model_, cache, {problem_.ids[6]}, {4});
  absorb_features(model_, cache, features(6, 9), {3});
  const at::Tensor third = draft_blocks(model_, cache, {problem_.ids[9]}, {4});
  const at::Tensor expected = training_hidden();
  EXPECT_THAT(numbers(first), Pointwise(DoubleNear(1e-10), numbers(expected[0])));
  EXPECT_THAT(numbers(second), Pointwise(DoubleNear(1e-10), numbers(expected[1])));
  EXPECT_THAT(numbers(third), Pointwise(DoubleNear(1e-10), numbers(expected[2])));
}

TEST_P(DraftCacheOfLayout, DraftsRowsOfDifferentLengthsTogether) {
  DraftCache cache = make_draft_cache(model_, 2, 32);
  absorb_features(model_, cache, at::cat({features(0, 9), features(11, 20)}), {9, 4});
  const at::Tensor drafted = draft_blocks(model_, cache, {problem_.ids[9], problem_.ids[15]}, {4, 4});
  const at::Tensor expected = training_hidden();
  EXPECT_THAT(numbers(drafted[0]), Pointwise(DoubleNear(1e-10), numbers(expected[2])));
  EXPECT_THAT(numbers(drafted[1]), Pointwise(DoubleNear(1e-10), numbers(expected[4])));
}

TEST_P(DraftCacheOfLayout, DraftsAShorterBlockAsIfItWereAlone) {
  DraftCache cache = make_draft_cache(model_, 2, 32);
  absorb_features(model_, cache, at::cat({features(0, 4), features(11, 15)}), {4, 4});
  const at::Tensor mixed = draft_blocks(model_, cache, {problem_.ids[4], problem_.ids[15]}, {2, 4});
  keep_rows(cache, {0});
  const at::Tensor alone = draft_blocks(model_, cache, {problem_.ids[4]}, {2});
  EXPECT_THAT(numbers(mixed[0].narrow(0, 0, 2)), Pointwise(DoubleNear(1e-10), numbers(alone[0])));
}

TEST_P(DraftCacheOfLayout, RepeatsADraftAfterKeepingItsRow) {
  DraftCache cache = make_draft_cache(model_, 2, 32);
  absorb_features(model_, cache, at::cat({features(0, 9), features(11, 20)}), {9, 4});
  const at::Tensor both = draft_blocks(model_, cache, {problem_.ids[9], problem_.ids[15]}, {4, 4});
  keep_rows(cache, {1});
  const at::Tensor kept = draft_blocks(model_, cache, {problem_.ids[15]}, {4});
  EXPECT_THAT(numbers(kept[0]), Pointwise(DoubleNear(1e-10), numbers(both[1])));
}

INSTANTIATE_TEST_SUITE_P(AllLayouts, DraftCacheOfLayout,
                         ::testing::Values(GoldenLayout::kFull, GoldenLayout::kSlidingCausal,
                                           GoldenLayout::kSlidingBidirectional));

TEST(DraftCache, RefusesCountsThatDoNotFitItsRows) {
  const GoldenProblem problem = golden_problem();
  const DrafterModel model{problem.config, problem.weights, problem.embedding};
  DraftCache cache = make_draft_cache(model, 2, 8);
  EXPECT_THROW(absorb_features(model, cache, problem.features.base.unsqueeze(0), {3}), InternalError);
  EXPECT_THROW(draft_blocks(model, cache, {1}, {4}), InternalError);
}

}  // namespace
}  // namespace dflash
