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

TEST(TokenChoice, SamplesEachTokenAsOftenAsItsProbabilitySays) {
  const at::Tensor logits = at::tensor({0.5, 0.3, 0.2}).log().view({1, 1, 3}).expand({1, 20000, 3});
  const at::Tensor tokens = choose_tokens(logits, {.temperature = 1.0, .seed = 1}, {0}, {0}).flatten();
  const at::Tensor shares = at::bincount(tokens, {}, 3).to(at::kDouble) / 20000.0;
  EXPECT_TRUE(at::allclose(shares, at::tensor({0.5, 0.3, 0.2}, at::kDouble), 0.0, 0.012)) << shares;
}

TEST(TokenChoice, SharpensAtLowTemperature) {
  const at::Tensor logits = at::tensor({0.6, 0.4}).log().view({1, 1, 2}).expand({1, 20000, 2});
  const at::Tensor tokens = choose_tokens(logits, {.temperature = 0.5, .seed = 1}, {0}, {0});
  EXPECT_NEAR(tokens.to(at::kDouble).mean().item<double>(), 0.16 / 0.52, 0.012);
}

TEST(TokenChoice, DependsOnPromptAndPositionNotOnTheShapeOfTheBatch) {
  const TokenChoice choice{.temperature = 1.0, .seed = 9};
  const at::Tensor logits = at::zeros({1, 1, 1000});
  const at::Tensor together = choose_tokens(at::zeros({2, 3, 1000}), choice, {4, 7}, {10, 20});
  EXPECT_TRUE(at::equal(choose_tokens(logits, choice, {7}, {22}).flatten(), together[1].slice(0, 2)));
  EXPECT_FALSE(at::equal(together[0], together[1]));
}

TEST(TokenChoice, NeverTakesATokenOfNoProbability) {
  at::Tensor logits = at::full({1, 5000, 4}, -std::numeric_limits<float>::infinity());
  logits.select(2, 2).fill_(0.0);
  const at::Tensor tokens = choose_tokens(logits, {.temperature = 1.0, .seed = 2}, {0}, {0});
  EXPECT_TRUE(at::equal(tokens, at::full_like(tokens, 2)));
}

TEST(TokenChoice, RefusesRowsThatDoNotMatch) {
  EXPECT_THROW(choose_tokens(at::zeros({2, 1, 3}), {}, {0}, {0}), InternalError);
}

}  // namespace
}  // namespace dflash
