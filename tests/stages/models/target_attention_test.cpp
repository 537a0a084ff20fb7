// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_attention.h"

#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/stages/models/target_goldens.h"

namespace dflash {
namespace {

const std::vector<std::int64_t> kStarts{0, 3, 4, 11};
constexpr std::int64_t kRows = 13;

TargetHeads random_heads(at::ScalarType type) {
  at::Generator generator = at::detail::createCPUGenerator(3);
  const auto draw = [&](std::int64_t heads) {
    return at::randn({kRows, heads, 8}, generator, at::TensorOptions().dtype(at::kDouble)).to(type);
  };
  return {.query = draw(4), .key = draw(2), .value = draw(2)};
}

/// By the definition: scores, a dense mask, softmax. Without a window it is longer than any document.
at::Tensor plain_attention(const TargetHeads& heads, std::int64_t window = kRows) {
  const at::Tensor rows = at::arange(kRows);
  const at::Tensor document = at::searchsorted(at::tensor(kStarts, at::kLong), rows, false, true);
  const at::Tensor seen = rows.unsqueeze(1)
                              .ge(rows)
                              .logical_and(document.unsqueeze(1).eq(document))
                              .logical_and((rows.unsqueeze(1) - rows).lt(window));
  const at::Tensor key = heads.key.repeat_interleave(2, 1).transpose(0, 1);
  const at::Tensor value = heads.value.repeat_interleave(2, 1).transpose(0, 1);
  const at::Tensor scores = at::matmul(heads.query.transpose(0, 1), key.transpose(1, 2)) / std::sqrt(8.0);
  const at::Tensor masked = scores.masked_fill(seen.logical_not(), -std::numeric_limits<double>::infinity());
  return at::matmul(at::softmax(masked, -1), value).transpose(0, 1).flatten(1).narrow(0, 0, kStarts.back());
}

TEST(TargetAttention, AgreesWithADenseMask) {
  const TargetHeads heads = random_heads(at::kDouble);
  const at::Tensor found = document_causal_attention(kStarts, at::kCPU)(heads);
  EXPECT_LT(relative_difference(found.narrow(0, 0, 11), plain_attention(heads)), 1e-12);
}

TEST(TargetAttention, SeesAWindowThatHoldsTheQueryItself) {
  const TargetHeads heads = random_heads(at::kDouble);
  for (const std::int64_t window : {1, 2, 3, 6, 7, 50}) {
    const at::Tensor found = document_causal_attention(kStarts, at::kCPU, window)(heads);
    EXPECT_LT(relative_difference(found.narrow(0, 0, 11), plain_attention(heads, window)), 1e-12) << window;
  }
}

TEST(TargetAttention, GivesZerosToRowsOfNoDocument) {
  const at::Tensor found = document_causal_attention(kStarts, at::kCPU)(random_heads(at::kFloat));
  ASSERT_EQ(found.size(0), kRows);
  EXPECT_TRUE(at::equal(found.narrow(0, 11, 2), at::zeros({2, 32})));
}

TEST(TargetAttention, RefusesBoundsThatAreNoDocuments) {
  EXPECT_THROW(document_causal_attention({}, at::kCPU), InternalError);
  EXPECT_THROW(document_causal_attention({0}, at::kCPU), InternalError);
  EXPECT_THROW(document_causal_attention({1, 2}, at::kCPU), InternalError);
  EXPECT_THROW(document_causal_attention({0, 2, 2}, at::kCPU), InternalError);
}

class TargetAttentionOnCuda : public testing::TestWithParam<std::tuple<at::ScalarType, std::int64_t>> {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) {
      GTEST_SKIP() << "no CUDA device";
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Types, TargetAttentionOnCuda,
                         testing::Combine(testing::Values(at::kFloat, at::kBFloat16), testing::Values(0, 3)));

TEST_P(TargetAttentionOnCuda, AgreesWithADenseMaskAlsoInGradients) {
  const auto [type, window] = GetParam();
  const double tolerance = type == at::kFloat ? 1e-5 : 2e-2;
  TargetHeads wide = random_heads(at::kDouble);
  TargetHeads narrow = random_heads(type);
  for (at::Tensor* x : {&narrow.query, &narrow.key, &narrow.value}) {
    *x = x->cuda().requires_grad_();
  }
  for (at::Tensor* x : {&wide.query, &wide.key, &wide.value}) {
    x->requires_grad_();
  }
  const at::Tensor expected = plain_attention(wide, window > 0 ? window : kRows);
  const at::Tensor found = document_causal_attention(kStarts, narrow.query.device(), window)(narrow);
  EXPECT_LT(relative_difference(found.narrow(0, 0, 11).cpu().to(at::kDouble), expected), tolerance);
  EXPECT_EQ(found.narrow(0, 11, 2).abs().sum().item<double>(), 0.0);
  expected.sin().sum().backward();
  found.sin().sum().backward();
  EXPECT_LT(relative_difference(narrow.query.grad().cpu().to(at::kDouble), wide.query.grad()), tolerance);
  EXPECT_LT(relative_difference(narrow.key.grad().cpu().to(at::kDouble), wide.key.grad()), tolerance);
  EXPECT_LT(relative_difference(narrow.value.grad().cpu().to(at::kDouble), wide.value.grad()), tolerance);
}

}  // namespace
}  // namespace dflash
