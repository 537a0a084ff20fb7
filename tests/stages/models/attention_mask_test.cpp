// SPDX-License-Identifier: Apache-2.0
#include "stages/models/attention_mask.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::Each;
using ::testing::Eq;

/// The rule of the specification, element by element: may row `row` see key `key`?
bool visible(const GoldenProblem& problem, const BlockLayout& layout, const VisibilityRule& rule, std::int64_t row,
             std::int64_t key) {
  const std::int64_t block = row / 4, slot = row % 4;
  if (key >= 20) {
    return (key - 20) / 4 == block && (!rule.causal || (key - 20) % 4 <= slot);
  }
  if (block >= layout.num_kept) {
    return false;
  }
  const std::int64_t anchor = problem.anchors[static_cast<std::size_t>(block)];
  const bool same_document = key < 18 && (key < 11) == (anchor < 11);
  return same_document && key < anchor && (rule.window == 0 || key >= anchor + slot - (rule.window - 1));
}

class DenseMask : public ::testing::TestWithParam<VisibilityRule> {};

TEST_P(DenseMask, FollowsTheRuleElementByElement) {
  const GoldenProblem problem = golden_problem();
  const BlockLayout layout = problem.layout(6);
  at::Tensor expected = at::empty({24, 44}, at::kBool);
  for (std::int64_t row = 0; row < 24; ++row) {
    for (std::int64_t key = 0; key < 44; ++key) {
      expected[row][key] = visible(problem, layout, GetParam(), row, key);
    }
  }
  EXPECT_TRUE(at::equal(dense_mask(layout, GetParam()), expected));
}

TEST_P(DenseMask, LetsEveryRowSeeSomething) {
  EXPECT_TRUE(dense_mask(golden_problem().layout(6), GetParam()).any(1).all().item<bool>());
}

TEST_P(DenseMask, FollowsTheDocumentIdsOfThePack) {
  BlockLayout layout = golden_problem().layout();
  layout.document_ids = layout.document_ids.clone();
  layout.document_ids.narrow(0, 11, 2).fill_(0);                             // as if the second document began at 13
  const at::Tensor block = dense_mask(layout, GetParam()).narrow(0, 12, 4);  // its anchor is 14
  EXPECT_FALSE(block.narrow(1, 11, 2).any().item<bool>());
  EXPECT_TRUE(block.narrow(1, 13, 1).any().item<bool>());
}

INSTANTIATE_TEST_SUITE_P(AllRules, DenseMask,
                         ::testing::Values(VisibilityRule{}, VisibilityRule{6, true}, VisibilityRule{6, false},
                                           VisibilityRule{4, true}));

TEST(BlockSlices, CoverAllBlocksOnceAndOnlyTheKeysTheySee) {
  const BlockLayout layout = golden_problem().layout(6);
  const auto slices = slice_blocks(layout, {}, 2, {}, at::kFloat);
  std::vector<std::vector<std::int64_t>> places;
  for (const auto& slice : slices) {
    places.push_back({slice.block_begin, slice.block_end, slice.key_begin, slice.key_end});
  }
  EXPECT_THAT(places,
              ::testing::ElementsAre(std::vector<std::int64_t>{0, 2, 0, 6}, std::vector<std::int64_t>{2, 3, 0, 9},
                                     std::vector<std::int64_t>{3, 5, 11, 15}, std::vector<std::int64_t>{5, 6, 0, 0}));
}

TEST(BlockSlices, AreShorterInASlidingWindow) {
  const BlockLayout layout = golden_problem().layout(5);
  const auto slices = slice_blocks(layout, {4, true}, 2, {}, at::kFloat);
  EXPECT_EQ(slices[1].key_begin, 6);
  EXPECT_EQ(slices[1].key_end, 9);
}

}  // namespace
}  // namespace dflash
