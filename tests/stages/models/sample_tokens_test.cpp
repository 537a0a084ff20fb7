// SPDX-License-Identifier: Apache-2.0
#include "stages/models/sample_tokens.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

namespace dflash {
namespace {

std::vector<TokenPlace> places(std::int64_t count) {
  std::vector<TokenPlace> made;
  for (std::int64_t row = 0; row < count; ++row) {
    made.push_back({.row_id = row, .position = 5});
  }
  return made;
}

TEST(SampleTokens, TakesTheLikeliestAtTemperatureZero) {
  const at::Tensor logits = at::tensor({1.0F, 3.0F, 2.0F, 7.0F, 0.0F, 7.0F}).view({2, 3});
  EXPECT_TRUE(at::equal(sample_tokens(logits, places(2), {}), at::tensor({1, 0}, at::kLong)));
}

TEST(SampleTokens, DrawsInProportionToTheChancesAtTheTemperature) {
  const std::int64_t draws = 20000;
  const at::Tensor chances = at::tensor({0.5, 0.2, 0.0, 0.3});
  const at::Tensor logits = (chances.log() * 2.0).expand({draws, 4});
  const at::Tensor chosen = sample_tokens(logits, places(draws), {.temperature = 2.0, .seed = 1});
  const at::Tensor shares = at::bincount(chosen, {}, 4).to(at::kDouble) / static_cast<double>(draws);
  EXPECT_TRUE(at::allclose(shares, chances.to(at::kDouble), 0.0, 0.015)) << shares;
  EXPECT_EQ(shares[2].item<double>(), 0.0);
}

TEST(SampleTokens, DependsOnSeedRowAndPosition) {
  const at::Tensor logits = at::zeros({1, 1'000'000});
  const auto draw = [&](std::uint64_t seed, TokenPlace place) {
    return sample_tokens(logits, {place}, {.temperature = 1.0, .seed = seed}).item<std::int64_t>();
  };
  const std::int64_t token = draw(1, {2, 3});
  EXPECT_EQ(draw(1, {2, 3}), token);
  EXPECT_NE(draw(2, {2, 3}), token);
  EXPECT_NE(draw(1, {3, 3}), token);
  EXPECT_NE(draw(1, {2, 4}), token);
}

}  // namespace
}  // namespace dflash
