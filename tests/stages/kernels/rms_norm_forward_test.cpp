// SPDX-License-Identifier: Apache-2.0
#include "stages/kernels/rms_norm_forward.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/device/device.h"
#include "tests/stages/kernels/rms_norm_shapes.h"

namespace dflash {
namespace {

constexpr double kEps = 1e-6;

at::Tensor random(at::IntArrayRef sizes, std::uint64_t seed, at::ScalarType type) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::randn(sizes, generator, at::TensorOptions().dtype(at::kFloat)).to(type);
}

/// The formula in fp64, without the cast before the weight.
at::Tensor exact(const at::Tensor& x, const at::Tensor& weight) {
  const at::Tensor wide = x.to(at::kDouble);
  return wide * at::rsqrt(wide.square().mean(-1, true) + kEps) * weight.to(at::kDouble);
}

/// Relative difference that two roundings may make in `type`: one unit each, where a sum in another order tips them.
double tolerance(at::ScalarType type) { return type == at::kFloat ? 1e-5 : 2.0 / 128; }

class RmsNormForward : public testing::TestWithParam<at::ScalarType> {};

TEST_P(RmsNormForward, IsTheFormulaOverTheLastDimension) {
  const at::Tensor x = random({3, 5, 24}, 1, GetParam());
  const at::Tensor weight = random({24}, 2, GetParam());
  const at::Tensor y = rms_norm_forward(x, weight, kEps);
  EXPECT_EQ(y.scalar_type(), GetParam());
  EXPECT_EQ(y.sizes(), x.sizes());
  EXPECT_TRUE(at::allclose(y.to(at::kDouble), exact(x, weight), tolerance(GetParam()), 1e-6));
}

TEST_P(RmsNormForward, TakesRowsThatAreNotContiguous) {
  const at::Tensor x = random({6, 4, 16}, 3, GetParam()).transpose(0, 1);
  const at::Tensor weight = random({16}, 4, GetParam());
  EXPECT_TRUE(at::equal(rms_norm_forward(x, weight, kEps), rms_norm_forward(x.contiguous(), weight, kEps)));
}

TEST_P(RmsNormForward, OnAGpuAgreesWithTheReferenceOnTheCpu) {
  if (cuda_devices().empty()) {
    GTEST_SKIP() << no_cuda_reason();
  }
  for (const RmsNormShape& shape : kRmsNormEdgeShapes) {
    const at::Tensor x = random({shape.num_rows, shape.width}, 5, GetParam());
    const at::Tensor weight = random({shape.width}, 6, GetParam());
    const at::Tensor y = rms_norm_forward(x.to(at::kCUDA), weight.to(at::kCUDA), kEps).to(at::kCPU);
    EXPECT_TRUE(at::allclose(y, rms_norm_forward(x, weight, kEps), tolerance(GetParam()), 1e-6))
        << shape.num_rows << " rows of " << shape.width;
  }
}

TEST_P(RmsNormForward, OnAGpuTakesRowsThatStartBetweenPacks) {
  if (cuda_devices().empty()) {
    GTEST_SKIP() << no_cuda_reason();
  }
  const at::Tensor x = random({4 * 64 + 1}, 7, GetParam());
  const at::Tensor weight = random({64}, 8, GetParam());
  const at::Tensor shifted = x.to(at::kCUDA).slice(0, 1).view({4, 64});
  const at::Tensor y = rms_norm_forward(shifted, weight.to(at::kCUDA), kEps).to(at::kCPU);
  EXPECT_TRUE(
      at::allclose(y, rms_norm_forward(x.slice(0, 1).view({4, 64}), weight, kEps), tolerance(GetParam()), 1e-6));
}

INSTANTIATE_TEST_SUITE_P(Formats, RmsNormForward, testing::Values(at::kFloat, at::kBFloat16),
                         [](const auto& test) { return std::string{c10::toString(test.param)}; });

TEST(RmsNormForwardRefusal, OfAWeightOfAnotherLengthOrType) {
  const at::Tensor x = at::ones({2, 8}, at::kFloat);
  EXPECT_THROW(rms_norm_forward(x, at::ones({4}, at::kFloat), kEps), InternalError);
  EXPECT_THROW(rms_norm_forward(x, at::ones({8}, at::kBFloat16), kEps), InternalError);
  EXPECT_THROW(rms_norm_forward(x.to(at::kDouble), at::ones({8}, at::kDouble), kEps), InternalError);
}

TEST(RmsNormForwardRefusal, OfAWeightOnAnotherDevice) {
  if (cuda_devices().empty()) {
    GTEST_SKIP() << no_cuda_reason();
  }
  EXPECT_THROW(rms_norm_forward(at::ones({2, 8}, at::kCUDA), at::ones({8}), kEps), InternalError);
}

}  // namespace
}  // namespace dflash
