// SPDX-License-Identifier: Apache-2.0
#include "stages/models/drafter_weights.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::SizeIs;

std::vector<std::string> names_of(const DrafterWeights& weights) {
  std::vector<std::string> names;
  for_each_parameter(weights, [&](const std::string& name, const at::Tensor&) { names.push_back(name); });
  return names;
}

TEST(DrafterWeights, HaveElevenTensorsALayerAndThreeMore) {
  const auto names = names_of(golden_problem().weights);
  EXPECT_THAT(names, SizeIs(11 * 2 + 3));
  EXPECT_THAT(names, Contains("layers.1.self_attn.k_norm.weight"));
  EXPECT_THAT(names, Contains("layers.0.post_attention_layernorm.weight"));
}

TEST(DrafterWeights, AreDrawnFromANormalDistributionAndNormsAreOne) {
  DrafterConfig config = golden_problem().config;
  config.hidden = 256;
  config.vocab_size = 40;
  const DrafterWeights weights = init_drafter(config, 1);
  EXPECT_NEAR(weights.fc.std().item<double>(), 0.02, 2e-4);
  EXPECT_NEAR(weights.fc.mean().item<double>(), 0, 2e-4);
  EXPECT_NEAR(weights.fc.abs().gt(0.04).to(at::kDouble).mean().item<double>(), 0.0455, 0.003);
  EXPECT_THAT(numbers(weights.norm), Each(1.0));
}

TEST(DrafterWeights, RepeatForASeedAndDifferForAnother) {
  const DrafterConfig config = golden_problem().config;
  EXPECT_TRUE(at::equal(init_drafter(config, 1).fc, init_drafter(config, 1).fc));
  EXPECT_FALSE(at::equal(init_drafter(config, 1).fc, init_drafter(config, 2).fc));
  const DrafterWeights weights = init_drafter(config, 1);
  EXPECT_FALSE(at::equal(weights.layers[0].gate_proj, weights.layers[0].up_proj));
}

TEST(DrafterWeights, KnowTheShapeOfEachName) {
  const DrafterConfig config = golden_problem().config;
  EXPECT_EQ(parameter_shape(config, "fc.weight"), (std::vector<std::int64_t>{16, 32}));
  EXPECT_EQ(parameter_shape(config, "layers.1.self_attn.o_proj.weight"), (std::vector<std::int64_t>{16, 32}));
  EXPECT_THROW(parameter_shape(config, "layers.1.self_attn.o_proj.bias"), InternalError);
}

}  // namespace
}  // namespace dflash
