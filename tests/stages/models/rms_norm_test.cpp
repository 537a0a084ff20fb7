// SPDX-License-Identifier: Apache-2.0
#include "stages/models/rms_norm.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>

#include "framework/device/device.h"

namespace dflash {
namespace {

at::Tensor random(at::IntArrayRef sizes, std::uint64_t seed, at::ScalarType type = at::kDouble) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::randn(sizes, generator, at::TensorOptions().dtype(at::kDouble)).to(type);
}

TEST(RmsNorm, DividesByTheRootOfTheMeanSquareOfEachRow) {
  const at::Tensor x = at::tensor({3.0, 4.0, 0.0, 0.0, -1.0, 1.0, -1.0, 1.0}).view({2, 4});
  const at::Tensor y = rms_norm(x, at::tensor({1.0, 2.0, 1.0, 1.0}), 0.0);
  const at::Tensor expected = at::tensor({1.2, 3.2, 0.0, 0.0, -1.0, 2.0, -1.0, 1.0}).view({2, 4});
  EXPECT_TRUE(at::allclose(y, expected, 1e-12, 1e-12)) << y;
}

TEST(RmsNorm, AddsEpsilonInsideTheRoot) {
  const at::Tensor y = rms_norm(at::zeros({1, 4}), at::ones({4}), 1e-6);
  EXPECT_TRUE(at::equal(y, at::zeros({1, 4})));
  const at::Tensor tiny = rms_norm(at::full({1, 4}, 1e-3, at::kDouble), at::ones({4}, at::kDouble), 3e-6);
  EXPECT_TRUE(at::allclose(tiny, at::full({1, 4}, 0.5, at::kDouble), 1e-12, 0)) << tiny;
}

TEST(RmsNorm, CastsBackBeforeTheWeightIsApplied) {
  const at::Tensor x = random({5, 16}, 1, at::kBFloat16);
  const at::Tensor weight = random({16}, 2, at::kBFloat16);
  const at::Tensor wide = x.to(at::kFloat);
  const at::Tensor expected = (wide * at::rsqrt(wide.square().mean(-1, true) + 1e-6)).to(at::kBFloat16) * weight;
  const at::Tensor y = rms_norm(x, weight, 1e-6);
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::equal(y, expected));
}

TEST(RmsNorm, HasTheGradientsOfFiniteDifferences) {
  const at::Tensor x = random({3, 2, 6}, 3).requires_grad_();
  const at::Tensor weight = random({6}, 4).requires_grad_();
  const at::Tensor probe = random({3, 2, 6}, 5);
  (rms_norm(x, weight, 1e-3) * probe).sum().backward();
  const auto difference = [&](const at::Tensor& dx, const at::Tensor& dw) {
    const at::NoGradGuard no_grad;
    const double h = 1e-5;
    const at::Tensor up = rms_norm(x + h * dx, weight + h * dw, 1e-3);
    const at::Tensor down = rms_norm(x - h * dx, weight - h * dw, 1e-3);
    return ((up - down) * probe).sum().item<double>() / (2 * h);
  };
  const at::Tensor dx = random({3, 2, 6}, 6);
  const at::Tensor dw = random({6}, 7);
  EXPECT_NEAR((x.grad() * dx).sum().item<double>(), difference(dx, at::zeros_like(dw)), 1e-7);
  EXPECT_NEAR((weight.grad() * dw).sum().item<double>(), difference(at::zeros_like(dx), dw), 1e-7);
}

TEST(RmsNorm, AgreesBetweenTheNarrowAndTheWideTypeAlsoInGradients) {
  const auto gradients = [](at::ScalarType type) {
    const at::Tensor x = random({7, 3, 33}, 8).to(type).requires_grad_();
    const at::Tensor weight = random({33}, 9).to(type).requires_grad_();
    const at::Tensor y = rms_norm(x, weight, 1e-6);
    (y * random({7, 3, 33}, 10).to(type)).sum().backward();
    return std::vector<at::Tensor>{y.detach().to(at::kDouble), x.grad().to(at::kDouble), weight.grad().to(at::kDouble)};
  };
  const auto narrow = gradients(at::kFloat);
  const auto wide = gradients(at::kDouble);
  EXPECT_TRUE(at::allclose(narrow[0], wide[0], 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(narrow[1], wide[1], 1e-5, 1e-5));
  EXPECT_TRUE(at::allclose(narrow[2], wide[2], 1e-5, 1e-5));
}

TEST(RmsNorm, TakesRowsThatAreNotContiguous) {
  const at::Tensor x = random({4, 10, 6}, 11, at::kFloat).transpose(0, 1);
  const at::Tensor weight = random({6}, 12, at::kFloat);
  EXPECT_TRUE(at::allclose(rms_norm(x, weight, 1e-6), rms_norm(x.contiguous(), weight, 1e-6)));
}

TEST(RmsNorm, TakesNoRowsAtAll) { EXPECT_EQ(rms_norm(at::empty({0, 8}), at::ones({8}), 1e-6).numel(), 0); }

TEST(RmsNorm, OnAGpuIsTheSameWithAndWithoutGradients) {
  if (cuda_devices().empty()) {
    GTEST_SKIP() << no_cuda_reason();
  }
  const at::Tensor x = random({7, 3, 64}, 13, at::kBFloat16).to(at::kCUDA);
  const at::Tensor weight = random({64}, 14, at::kBFloat16).to(at::kCUDA).requires_grad_();
  const at::Tensor learned = rms_norm(x, weight, 1e-6);
  EXPECT_TRUE(learned.requires_grad());
  const at::NoGradGuard no_grad;
  const at::Tensor frozen = rms_norm(x, weight, 1e-6);
  EXPECT_FALSE(frozen.requires_grad());
  EXPECT_TRUE(at::allclose(frozen, learned, 2.0 / 128, 1e-6));
}

}  // namespace
}  // namespace dflash
