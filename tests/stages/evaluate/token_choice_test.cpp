// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/token_choice.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

TEST(TokenChoice, TakesTheLargestLogitAtTemperatureZero) {
  const at::Tensor logits = at::tensor({1.0, 3.0, 2.0, 9.0, 0.0, 1.0}).view({1, 2, 3});
  const at::Tensor tokens = choose_tokens(logits, {}, {0}, {5});
  EXPECT_EQ(tokens[0][0].item<std::int64_t>(), 1);
  EXPECT_EQ(tokens[0][1].item<std::int64_t>(), 0);
}

TEST(TokenChoice, DependsOnPromptAndPositionNotOnTheShapeOfTheBatch) {
  const SamplingOptions choice{.temperature = 1.0, .seed = 9};
  const at::Tensor logits = at::zeros({1, 1, 1000});
  const at::Tensor together = choose_tokens(at::zeros({2, 3, 1000}), choice, {4, 7}, {10, 20});
  EXPECT_TRUE(at::equal(choose_tokens(logits, choice, {7}, {22}).flatten(), together[1].slice(0, 2)));
  EXPECT_FALSE(at::equal(together[0], together[1]));
}

TEST(TokenChoice, CountsPositionsAlongTheRow) {
  const SamplingOptions choice{.temperature = 1.0, .seed = 2};
  const at::Tensor logits = at::zeros({1, 4, 1000});
  EXPECT_TRUE(at::equal(choose_tokens(logits, choice, {3}, {10}).slice(1, 2),
                        choose_tokens(logits, choice, {3}, {12}).slice(1, 0, 2)));
}

TEST(TokenChoice, RefusesRowsThatDoNotMatch) {
  EXPECT_THROW(choose_tokens(at::zeros({2, 1, 3}), {}, {0}, {0}), InternalError);
}

}  // namespace
}  // namespace dflash
