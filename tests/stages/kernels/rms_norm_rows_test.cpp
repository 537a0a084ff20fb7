// SPDX-License-Identifier: Apache-2.0
#include "stages/kernels/rms_norm_rows.h"

#include <c10/util/BFloat16.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/device/device.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

std::vector<float> norm(const std::vector<float>& x, const std::vector<float>& weight, float eps) {
  std::vector<float> y(x.size());
  const auto width = static_cast<std::int64_t>(weight.size());
  rms_norm_rows_cpu({.x = x.data(),
                     .weight = weight.data(),
                     .y = y.data(),
                     .num_rows = static_cast<std::int64_t>(x.size()) / width,
                     .width = width,
                     .eps = eps,
                     .format = RowFormat::kFloat32});
  return y;
}

TEST(RmsNormRowsCpu, DividesEachRowByItsOwnRootMeanSquare) {
  EXPECT_THAT(norm({3, 4, 0, 0, -1, 1, -1, 1}, {1, 2, 1, 1}, 0),
              Pointwise(FloatNear(1e-6F), {1.2F, 3.2F, 0.F, 0.F, -1.F, 2.F, -1.F, 1.F}));
}

TEST(RmsNormRowsCpu, AddsEpsilonInsideTheRoot) {
  EXPECT_THAT(norm({1e-3F, -1e-3F}, {1, 1}, 3e-6F), Pointwise(FloatNear(1e-6F), {0.5F, -0.5F}));
}

TEST(RmsNormRowsCpu, RoundsTheQuotientToTheFormatBeforeTheWeight) {
  // 1.5 / sqrt(1.625) = 1.1767 is 1.1796875 in bf16, and 1.1796875 * 5 rounds to 5.90625; unrounded it would be 5.875.
  const std::vector<c10::BFloat16> x{1.5F, 1.0F};
  std::vector<c10::BFloat16> y(2);
  const std::vector<c10::BFloat16> weight{5.0F, 1.0F};
  rms_norm_rows_cpu({.x = x.data(),
                     .weight = weight.data(),
                     .y = y.data(),
                     .num_rows = 1,
                     .width = 2,
                     .eps = 0,
                     .format = RowFormat::kBFloat16});
  EXPECT_THAT((std::vector<float>{y.begin(), y.end()}), ElementsAre(5.90625F, 0.78515625F));
}

TEST(RmsNormRowsCuda, IsRefusedByABuildWithoutCuda) {
  if (!no_cuda_reason().starts_with("this build")) {
    GTEST_SKIP() << "this build has the CUDA back end";
  }
  EXPECT_THROW(rms_norm_rows_cuda({}, nullptr), UserError);
}

}  // namespace
}  // namespace dflash
