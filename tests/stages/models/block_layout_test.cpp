// SPDX-License-Identifier: Apache-2.0
#include "stages/models/block_layout.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST(BlockLayout, MarksTheGoldenSupervisedSlots) {
  EXPECT_THAT(numbers(golden_problem().layout().supervised_rows), ElementsAre(1, 2, 3, 5, 6, 7, 9, 13, 14, 15, 17, 18));
}

TEST(BlockLayout, PutsTheAnchorBeforeMaskTokensAndCountsPositionsInTheDocument) {
  const GoldenProblem problem = golden_problem();
  const BlockLayout layout = problem.layout();
  EXPECT_THAT(numbers(layout.block_ids.narrow(0, 12, 4)), ElementsAre(problem.ids[14], 39, 39, 39));
  EXPECT_THAT(numbers(layout.block_positions.narrow(0, 12, 4)), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(numbers(layout.context_positions.narrow(0, 9, 5)), ElementsAre(9, 10, 0, 1, 2));
}

TEST(BlockLayout, LabelsEachSlotWithTheTokenAtItsOwnPlace) {
  const GoldenProblem problem = golden_problem();
  const BlockLayout layout = problem.layout();
  EXPECT_THAT(numbers(layout.labels.narrow(0, 0, 3)), ElementsAre(problem.ids[5], problem.ids[6], problem.ids[7]));
  EXPECT_THAT(numbers(layout.supervised_tokens.narrow(0, 0, 3)), ElementsAre(5, 6, 7));
}

TEST(BlockLayout, SortsAnchorsAndPutsDeadSlotsLast) {
  GoldenProblem problem = golden_problem();
  problem.anchors = {15, 4};
  const BlockLayout layout = problem.layout(3);
  EXPECT_THAT(layout.anchors, ElementsAre(4, 15, 0));
  EXPECT_THAT(layout.context_begin, ElementsAre(0, 11, 0));
  EXPECT_THAT(layout.supervised_begin, ElementsAre(0, 3, 5, 5));
  EXPECT_EQ(layout.num_kept, 2);
}

TEST(BlockLayout, RefusesMoreAnchorsThanSlotsAndAnchorsInThePadding) {
  GoldenProblem problem = golden_problem();
  EXPECT_THROW(problem.layout(4), InternalError);
  problem.anchors = {19};
  EXPECT_THROW(problem.layout(), InternalError);
}

}  // namespace
}  // namespace dflash
