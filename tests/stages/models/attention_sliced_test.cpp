// SPDX-License-Identifier: Apache-2.0
#include "stages/models/attention_sliced.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/models/document_ids.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

/// 3 documents in 40 tokens, blocks of 3, 2 dead slots; the anchors include first tokens and neighbours.
BlockLayout random_layout() {
  const std::vector<std::int64_t> ids(40, 1);
  const std::vector<std::uint8_t> mask(40, 1);
  const std::vector<PackDocument> documents{{0, 0, 17}, {1, 17, 3}, {2, 20, 15}};
  const at::Tensor document_of = document_ids({17, 3, 15}, 40, DocumentIdsMethod::kHost, at::kCPU);
  return lay_out_blocks({ids, mask, documents, document_of}, {0, 1, 5, 9, 10, 15, 17, 20, 21, 30, 33}, {13, 3, 2});
}

AttentionInput random_input(const BlockLayout& layout) {
  const auto random = [](std::uint64_t seed, std::int64_t rows, std::int64_t heads) {
    return golden_uniform(seed, {rows, heads, 4}, -1, 1).set_requires_grad(true);
  };
  return {random(1, layout.num_rows(), 6), random(2, layout.length, 2), random(3, layout.length, 2),
          random(4, layout.num_rows(), 2), random(5, layout.num_rows(), 2)};
}

/// The output and the gradients of all inputs for a fixed output gradient.
std::vector<double> outcome(const AttentionInput& input, const at::Tensor& output) {
  output.backward(golden_uniform(6, output.sizes().vec(), -1, 1));
  return numbers(at::cat({output.flatten(), input.query.grad().flatten(), input.context_key.grad().flatten(),
                          input.context_value.grad().flatten(), input.block_key.grad().flatten(),
                          input.block_value.grad().flatten()}));
}

class SlicedAttention : public ::testing::TestWithParam<std::tuple<VisibilityRule, std::int64_t>> {};

TEST_P(SlicedAttention, EqualsDenseAttentionInOutputAndGradients) {
  const auto& [rule, max_blocks] = GetParam();
  const BlockLayout layout = random_layout();
  const AttentionInput reference = random_input(layout);
  const AttentionInput sliced = random_input(layout);
  const auto slices = slice_blocks(layout, rule, max_blocks, {}, at::kDouble);
  EXPECT_THAT(outcome(sliced, attention_sliced(sliced, slices, layout.block_size)),
              Pointwise(DoubleNear(1e-12), outcome(reference, attention_dense(reference, dense_mask(layout, rule)))));
}

INSTANTIATE_TEST_SUITE_P(RulesAndSizes, SlicedAttention,
                         ::testing::Combine(::testing::Values(VisibilityRule{}, VisibilityRule{3, true},
                                                              VisibilityRule{5, true}, VisibilityRule{5, false},
                                                              VisibilityRule{1000, false}),
                                            ::testing::Values(1, 2, 4, 64)));

TEST(SlicedAttention, MatchesElementLoops) {
  const BlockLayout layout = random_layout();
  const AttentionInput input = random_input(layout);
  const at::NoGradGuard no_grad;
  const VisibilityRule rule{5, true};
  const auto slices = slice_blocks(layout, rule, 4, {}, at::kDouble);
  const at::Tensor output = attention_sliced(input, slices, 3).view({layout.num_rows(), 6, 4});
  const std::int64_t row = 3 * 3 + 1;  // slot 1 of the block at token 9: sees context 6..8 and slots 0 and 1
  at::Tensor scores = at::empty({5}, at::kDouble);
  at::Tensor values = at::empty({5, 4}, at::kDouble);
  for (std::int64_t n = 0; n < 5; ++n) {
    const bool context = n < 3;
    const at::Tensor key = context ? input.context_key[6 + n][1] : input.block_key[9 + n - 3][1];
    scores[n] = at::dot(input.query[row][4], key) / 2;
    values[n] = context ? input.context_value[6 + n][1] : input.block_value[9 + n - 3][1];
  }
  EXPECT_THAT(numbers(output[row][4]),
              Pointwise(DoubleNear(1e-12), numbers(at::mv(values.t(), at::softmax(scores, 0)))));
}

}  // namespace
}  // namespace dflash
