// SPDX-License-Identifier: Apache-2.0
#include "stages/models/rope.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

at::Tensor random(at::IntArrayRef sizes, std::uint64_t seed, at::ScalarType type = at::kDouble) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::randn(sizes, generator, at::TensorOptions().dtype(at::kDouble)).to(type);
}

TEST(Rope, TurnsPairIByPositionTimesThetaToTheMinusTwoIOverD) {
  const RotaryTable table = rotary_table(at::tensor({0, 3, 100}, at::kLong), 8, 1e4, at::kDouble);
  ASSERT_EQ(table.cos.sizes(), at::IntArrayRef({3, 4}));
  EXPECT_NEAR(table.cos[0][3].item<double>(), 1.0, 1e-12);
  EXPECT_NEAR(table.sin[1][1].item<double>(), std::sin(3 * std::pow(1e4, -2.0 / 8)), 1e-12);
  EXPECT_NEAR(table.cos[2][3].item<double>(), std::cos(100 * std::pow(1e4, -6.0 / 8)), 1e-12);
}

TEST(Rope, PairsChannelIWithChannelIPlusHalf) {
  const RotaryTable table = rotary_table(at::tensor({2}, at::kLong), 4, 1e4, at::kDouble);
  const at::Tensor y = apply_rotary(at::tensor({1.0, 0.0, 0.0, 0.0}).to(at::kDouble).view({1, 1, 4}), table).flatten();
  EXPECT_NEAR(y[0].item<double>(), std::cos(2.0), 1e-12);
  EXPECT_NEAR(y[1].item<double>(), 0.0, 1e-12);
  EXPECT_NEAR(y[2].item<double>(), std::sin(2.0), 1e-12);
  EXPECT_NEAR(y[3].item<double>(), 0.0, 1e-12);
}

TEST(Rope, ScoresDependOnDistancesOfPositionsAlone) {
  const at::Tensor q = random({1, 2, 16}, 1);
  const at::Tensor k = random({1, 2, 16}, 2);
  const auto score = [&](std::int64_t at_q, std::int64_t at_k) {
    const auto turned = [](const at::Tensor& x, std::int64_t at) {
      return apply_rotary(x, rotary_table(at::tensor({at}, at::kLong), 16, 1e6, at::kDouble));
    };
    return (turned(q, at_q) * turned(k, at_k)).sum().item<double>();
  };
  EXPECT_NEAR(score(17, 5), score(1012, 1000), 1e-9);
  EXPECT_GT(std::abs(score(17, 5) - score(17, 6)), 1e-3);
}

TEST(Rope, HasTheOppositeRotationAsGradient) {
  const at::Tensor x = random({5, 3, 8}, 3).requires_grad_();
  const at::Tensor probe = random({5, 3, 8}, 4);
  const RotaryTable table = rotary_table(at::arange(5), 8, 1e4, at::kDouble);
  (apply_rotary(x, table) * probe).sum().backward();
  const at::Tensor expected = apply_rotary(probe, {.cos = table.cos, .sin = -table.sin});
  EXPECT_TRUE(at::allclose(x.grad(), expected, 1e-12, 1e-12));
}

TEST(Rope, AgreesBetweenTypesAndStridesAlsoInGradients) {
  const at::Tensor values = random({3, 9, 6}, 5);
  const auto turn = [&](at::ScalarType type) {
    const at::Tensor x = values.to(type).transpose(0, 1).requires_grad_();
    const at::Tensor y = apply_rotary(x, rotary_table(at::arange(9), 6, 1e4, type));
    (y * y.detach().sin()).sum().backward();
    return std::pair{y.detach().to(at::kDouble), x.grad().to(at::kDouble)};
  };
  const auto narrow = turn(at::kFloat);
  const auto wide = turn(at::kDouble);
  EXPECT_TRUE(at::allclose(narrow.first, wide.first, 1e-5, 1e-5));
  EXPECT_TRUE(at::allclose(narrow.second, wide.second, 1e-5, 1e-5));
}

TEST(Rope, KeepsTheTypeOfItsInputAndTheAnglesInFp32) {
  const RotaryTable table = rotary_table(at::tensor({40000}, at::kLong), 8, 1e6);
  EXPECT_EQ(table.cos.scalar_type(), at::kFloat);
  EXPECT_EQ(apply_rotary(random({1, 2, 8}, 6, at::kBFloat16), table).scalar_type(), at::kBFloat16);
}

TEST(Rope, RefusesNarrowTablesAndOddHeads) {
  EXPECT_THROW(rotary_table(at::arange(2), 8, 1e4, at::kBFloat16), InternalError);
  EXPECT_THROW(rotary_table(at::arange(2), 7, 1e4), InternalError);
}

}  // namespace
}  // namespace dflash
