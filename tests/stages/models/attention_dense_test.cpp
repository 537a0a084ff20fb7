// SPDX-License-Identifier: Apache-2.0
#include "stages/models/attention_dense.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

TEST(AttentionDense, WeighsTheVisibleKeysOfTheSharedHead) {
  const AttentionInput input{golden_uniform(1, {3, 4, 2}, -1, 1), golden_uniform(2, {2, 2, 2}, -1, 1),
                             golden_uniform(3, {2, 2, 2}, -1, 1), golden_uniform(4, {3, 2, 2}, -1, 1),
                             golden_uniform(5, {3, 2, 2}, -1, 1)};
  at::Tensor mask = at::eye(3, 5, at::kBool);
  mask[1][4] = true;  // row 1 sees context key 1 and block row 2
  const at::Tensor output = attention_dense(input, mask).view({3, 4, 2});
  const at::Tensor query = input.query[1][3];
  const at::Tensor scores = at::stack({at::dot(query, input.context_key[1][1]), at::dot(query, input.block_key[2][1])});
  const at::Tensor weights = at::softmax(scores / std::sqrt(2.0), 0);
  const at::Tensor expected = weights[0] * input.context_value[1][1] + weights[1] * input.block_value[2][1];
  EXPECT_THAT(numbers(output[1][3]), Pointwise(DoubleNear(1e-12), numbers(expected)));
  EXPECT_THAT(numbers(output[0][0]), Pointwise(DoubleNear(1e-12), numbers(input.context_value[0][0])));
}

}  // namespace
}  // namespace dflash
