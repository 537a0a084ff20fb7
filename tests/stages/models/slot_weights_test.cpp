// SPDX-License-Identifier: Apache-2.0
#include "stages/models/slot_weights.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Pointwise;

RowPlaces whole_block(std::int64_t block_size) {
  return {at::full({block_size - 1}, 3, at::kLong), at::arange(1, block_size, at::kLong), 3, 1, block_size};
}

RowPlaces golden_places() {
  const BlockLayout layout = golden_problem().layout();
  return {layout.supervised_blocks, layout.supervised_slots, 0, layout.num_blocks, layout.block_size};
}

TEST(SlotWeights, DecayToTheKnownSums) {
  const auto sum = [](double gamma, std::int64_t block_size) {
    return decay_weights(whole_block(block_size), gamma, at::kDouble).sum().item<double>();
  };
  EXPECT_NEAR(sum(7, 16), 6.631, 5e-4);
  EXPECT_NEAR(sum(5, 10), 4.605, 5e-4);
  EXPECT_NEAR(sum(4, 8), 3.735, 5e-4);
  EXPECT_NEAR(sum(4, 16), 4.415, 1e-3);
}

TEST(SlotWeights, BecomeUniformWithoutDecay) {
  EXPECT_THAT(numbers(decay_weights(whole_block(8), 0, at::kDouble)), Each(1.0));
  EXPECT_THAT(numbers(decay_weights(whole_block(8), 1e12, at::kDouble)), Each(DoubleNear(1.0, 1e-10)));
}

TEST(SlotWeights, CountTheRemainingSlotsWhereDpaceIsCertain) {
  EXPECT_THAT(numbers(dpace_weights(whole_block(5), at::zeros({4}, at::kDouble), 0.5)), ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(numbers(dpace_weights(whole_block(5), at::ones({4}, at::kDouble), 1.0)), ElementsAre(4, 3, 2, 1));
}

TEST(SlotWeights, GiveTheGoldenDpaceWeights) {
  const at::Tensor nll =
      at::tensor({1.845029421305, 4.438828123319, 10.045641942376, 10.841009237063, 7.285955112416, 5.091791923175,
                  6.004329092196, 4.245864621630, 9.952543875803, 6.367520332413, 9.055955889411, 5.496390171147},
                 at::kDouble);
  EXPECT_THAT(numbers(dpace_weights(golden_places(), nll, 0.5)),
              Pointwise(DoubleNear(1e-11), {1.018402924564, 0.439392588741, 0.146468431380, 0.876042963345,
                                            0.376033173417, 0.125857001704, 0.501234022312, 0.887768668853,
                                            0.380606996827, 0.127014088750, 0.751113027777, 0.251054680804}));
}

TEST(SlotWeights, SpreadRowsIntoATableOfBlocks) {
  const RowPlaces places{at::tensor({4, 5}, at::kLong), at::tensor({1, 2}, at::kLong), 4, 2, 3};
  EXPECT_THAT(numbers(row_table(places, at::tensor({7.0, 8.0}, at::kDouble), -1)), ElementsAre(-1, 7, -1, -1, -1, 8));
}

}  // namespace
}  // namespace dflash
