// SPDX-License-Identifier: Apache-2.0
#include "stages/models/drafter_tensors.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::map<std::string, at::Tensor> by_name(const DrafterWeights& weights) {
  const auto list = drafter_tensors(weights, at::kDouble);
  return {list.begin(), list.end()};
}

TEST(DrafterTensors, ComeBackAsTheyWere) {
  const GoldenProblem problem = golden_problem();
  const DrafterWeights loaded = drafter_from_tensors(problem.config, by_name(problem.weights), "model.safetensors");
  EXPECT_TRUE(at::equal(loaded.fc, problem.weights.fc));
  EXPECT_TRUE(at::equal(loaded.layers[1].down_proj, problem.weights.layers[1].down_proj));
}

TEST(DrafterTensors, AreStoredInTheTypeAskedForWithoutAutograd) {
  const auto tensors = drafter_tensors(golden_problem().weights, at::kBFloat16);
  EXPECT_EQ(tensors.front().first, "fc.weight");
  EXPECT_EQ(tensors.front().second.scalar_type(), at::kBFloat16);
  EXPECT_FALSE(tensors.front().second.requires_grad());
}

TEST(DrafterTensors, NameAllThatIsWrongAtOnce) {
  const GoldenProblem problem = golden_problem();
  auto tensors = by_name(problem.weights);
  tensors["layers.0.self_attn.q_norms.weight"] = tensors["layers.0.self_attn.q_norm.weight"];
  tensors.erase("layers.0.self_attn.q_norm.weight");
  tensors["norm.weight"] = at::ones({15});
  EXPECT_THAT([&] { drafter_from_tensors(problem.config, tensors, "model.safetensors"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("model.safetensors"),
                                             HasSubstr("'layers.0.self_attn.q_norm.weight' is missing"),
                                             HasSubstr("did you mean 'layers.0.self_attn.q_norm.weight'"),
                                             HasSubstr("'norm.weight' has shape [15], the configuration gives [16]"))));
}

}  // namespace
}  // namespace dflash
