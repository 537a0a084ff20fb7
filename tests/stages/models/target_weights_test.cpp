// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_weights.h"

#include <fstream>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <malloc.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json.h"
#include "stages/models/safetensors.h"
#include "tests/support/resident_memory.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

class TargetWeightsTest : public testing::Test {
 protected:
  TargetConfig config_{.vocab_size = 50,
                       .hidden_size = 16,
                       .intermediate_size = 24,
                       .num_hidden_layers = 2,
                       .num_attention_heads = 4,
                       .num_key_value_heads = 2,
                       .head_dim = 6,
                       .max_position_embeddings = 64,
                       .rope_theta = 1e4,
                       .tie_word_embeddings = false};
  TargetWeights weights_ = init_target(config_, 1, at::kCPU);
  TemporaryFolder folder_;

  [[nodiscard]] static std::vector<NamedTensor> named(const TargetWeights& weights) {
    std::vector<NamedTensor> tensors;
    for_each_parameter(weights,
                       [&](const std::string& name, const at::Tensor& tensor) { tensors.emplace_back(name, tensor); });
    return tensors;
  }
  [[nodiscard]] TargetWeights load(std::optional<at::ScalarType> type = std::nullopt) const {
    return load_target(folder_.path(), config_, type, at::kCPU);
  }
  [[nodiscard]] auto loading() const {
    return [this] { (void)load(); };
  }
  void write(const std::vector<NamedTensor>& tensors) const {
    write_safetensors(folder_.path() / "model.safetensors", tensors);
  }
};

TEST_F(TargetWeightsTest, StartsWithNormalMatricesAndNormsOfOne) {
  EXPECT_NEAR(weights_.embedding.std().item<double>(), 0.02, 0.002);
  EXPECT_NEAR(weights_.layers[1].down_proj.mean().item<double>(), 0.0, 0.004);
  EXPECT_TRUE(at::equal(weights_.layers[0].q_norm, at::ones({6})));
  EXPECT_EQ(weights_.layers[0].k_proj.sizes(), at::IntArrayRef({12, 16}));
  EXPECT_FALSE(at::equal(weights_.layers[0].q_proj, weights_.layers[1].q_proj));
}

TEST_F(TargetWeightsTest, HasTheParametersOfItsFamily) {
  const auto has = [](const TargetWeights& weights) {
    const TargetLayer& layer = weights.layers.at(1);
    return std::vector<bool>{layer.q_norm.defined(), layer.k_norm.defined(), layer.q_bias.defined(),
                             layer.v_bias.defined(), layer.o_bias.defined()};
  };
  const auto started = [&](TargetFamily family, bool attention_bias) {
    config_.family = family;
    config_.attention_bias = attention_bias;
    return init_target(config_, 1, at::kCPU);
  };
  EXPECT_THAT(has(started(TargetFamily::kQwen3, false)), testing::ElementsAre(true, true, false, false, false));
  EXPECT_THAT(has(started(TargetFamily::kQwen3, true)), testing::ElementsAre(true, true, true, true, true));
  EXPECT_THAT(has(started(TargetFamily::kQwen2, false)), testing::ElementsAre(false, false, true, true, false));
  EXPECT_THAT(has(started(TargetFamily::kLlama, false)), testing::ElementsAre(false, false, false, false, false));
  EXPECT_THAT(has(started(TargetFamily::kLlama, true)), testing::ElementsAre(false, false, true, true, true));
  EXPECT_TRUE(at::equal(started(TargetFamily::kQwen2, false).layers[0].k_bias, at::zeros({12})));
}

TEST_F(TargetWeightsTest, TellsBiasesThatTheFamilyDoesNotHave) {
  config_.family = TargetFamily::kQwen2;
  write(named(init_target(config_, 1, at::kCPU)));
  config_.family = TargetFamily::kLlama;
  EXPECT_THAT(loading(), ThrowsMessage<UserError>(HasSubstr("'model.layers.0.self_attn.k_proj.bias' is unused")));
}

TEST_F(TargetWeightsTest, StartsTheSameFromTheSameSeedAlone) {
  const auto same = [&](const TargetWeights& other) {
    return at::equal(other.embedding, weights_.embedding) && at::equal(other.head, weights_.head);
  };
  EXPECT_TRUE(same(init_target(config_, 1, at::kCPU)));
  EXPECT_FALSE(same(init_target(config_, 2, at::kCPU)));
}

TEST_F(TargetWeightsTest, ComesBackFromTheFolderItWasSavedTo) {
  save_target(folder_.path() / "new/folder", config_, weights_, at::kFloat);
  const TargetWeights again = load_target(folder_.path() / "new/folder",
                                          read_target_config(folder_.path() / "new/folder"), std::nullopt, at::kCPU);
  EXPECT_THAT(named(again), testing::Pointwise(testing::Truly([](const auto& pair) {
                                                 const auto& [found, expected] = pair;
                                                 return found.first == expected.first &&
                                                        at::equal(found.second, expected.second);
                                               }),
                                               named(weights_)));
}

TEST_F(TargetWeightsTest, ComputesABf16FileInFp32OnTheCpuUnlessAskedOtherwise) {
  save_target(folder_.path(), config_, weights_, at::kBFloat16);
  EXPECT_EQ(read_target_config(folder_.path()).dtype, at::kBFloat16);
  const at::Tensor loaded = load().layers[0].gate_proj;
  EXPECT_EQ(loaded.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(loaded, weights_.layers[0].gate_proj.to(at::kBFloat16).to(at::kFloat)));
  EXPECT_EQ(load(at::kBFloat16).norm.scalar_type(), at::kBFloat16);
}

TEST_F(TargetWeightsTest, TellsMissingUnusedAndWronglyShapedTensorsInOneMessage) {
  auto tensors = named(weights_);
  tensors[1].first = "model.layers.0.input_layernom.weight";
  tensors[2].second = at::zeros({24, 17});
  tensors[3].second = at::zeros({12, 16}, at::kLong);
  write(tensors);
  EXPECT_THAT(
      loading(),
      ThrowsMessage<UserError>(AllOf(
          HasSubstr("'model.layers.0.input_layernorm.weight' is missing"),
          HasSubstr("'model.layers.0.self_attn.q_proj.weight' has shape [24, 17], expected [24, 16]"),
          HasSubstr("'model.layers.0.self_attn.k_proj.weight' is of type I64"),
          HasSubstr(
              "'model.layers.0.input_layernom.weight' is unused (expected 'model.layers.0.input_layernorm.weight'?)"),
          Not(HasSubstr("lm_head")))));
}

TEST_F(TargetWeightsTest, CutsAVeryLongListOfFaults) {
  write({{"x", at::ones({1})}});
  EXPECT_THAT(loading(), ThrowsMessage<UserError>(HasSubstr("and 6 more")));
}

TEST_F(TargetWeightsTest, TellsFaultsOfFilesAndOfShapesInOneMessage) {
  auto tensors = named(weights_);
  tensors[2].second = at::zeros({24, 17});
  const std::vector<NamedTensor> last{tensors.back()};
  tensors.pop_back();
  write_safetensors(folder_.path() / "one.safetensors", tensors);
  write_safetensors(folder_.path() / "two.safetensors", last);
  Json map = Json::object();
  for (const auto& [name, tensor] : tensors) {
    map[name] = "one.safetensors";
  }
  map[last.front().first] = "two.safetensors";
  write_durably(folder_.path() / "model.safetensors.index.json", Json{{"weight_map", map}}.dump());
  std::filesystem::resize_file(folder_.path() / "two.safetensors",
                               std::filesystem::file_size(folder_.path() / "two.safetensors") - 4);
  EXPECT_THAT([&] { check_target_weights(folder_.path(), config_); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("two.safetensors, tensor 'lm_head.weight'"),
                                             HasSubstr("q_proj.weight' has shape [24, 17], expected [24, 16]"),
                                             Not(HasSubstr("is missing")))));
}

TEST_F(TargetWeightsTest, PassesOverTheRotaryFrequenciesOfOldFiles) {
  auto tensors = named(weights_);
  tensors.emplace_back("model.layers.0.self_attn.rotary_emb.inv_freq", at::ones({3}));
  write(tensors);
  EXPECT_NO_THROW((void)load());
}

TEST_F(TargetWeightsTest, DoesNotHoldTheFileBesideTheCopy) {
  config_ = {.vocab_size = 4000,
             .hidden_size = 256,
             .intermediate_size = 1000,
             .num_hidden_layers = 8,
             .num_attention_heads = 4,
             .num_key_value_heads = 4,
             .head_dim = 64,
             .max_position_embeddings = 64,
             .rope_theta = 1e4};
  save_target(folder_.path(), config_, init_target(config_, 1, at::kCPU), at::kFloat);
  const auto pages = static_cast<std::int64_t>(std::filesystem::file_size(folder_.path() / "model.safetensors") / 4096);
  ::malloc_trim(0);
  const std::int64_t before = resident_pages();
  std::ofstream{"/proc/self/clear_refs"} << "5";  // the greatest use begins anew
  const TargetWeights loaded = load();
  const std::int64_t most = most_resident_pages() - before;
  EXPECT_GT(most, pages / 2);
  EXPECT_LT(most, pages * 3 / 2);
}

TEST_F(TargetWeightsTest, TakesAHeadBesideTiedEmbeddingsOnlyAsACopyOfThem) {
  config_.tie_word_embeddings = true;
  auto tensors = named(weights_);
  tensors.back().second = weights_.embedding;
  write(tensors);
  const TargetWeights loaded = load();
  EXPECT_FALSE(loaded.head.defined());
  EXPECT_TRUE(output_head(loaded).is_same(loaded.embedding));
  tensors.back().second = weights_.embedding + 1.0;
  write(tensors);
  EXPECT_THAT(loading(), ThrowsMessage<UserError>(HasSubstr("'lm_head.weight' is unused")));
}

TEST_F(TargetWeightsTest, E10TakesTheHeadThatTheConfigSaysAndTheFileHas) {
  auto tensors = named(weights_);
  write(tensors);  // untied, with a head of its own
  EXPECT_TRUE(at::equal(output_head(load()), weights_.head));
  tensors.pop_back();
  write(tensors);  // untied, and the head is not there
  EXPECT_THAT(loading(), ThrowsMessage<UserError>(HasSubstr("'lm_head.weight' is missing")));
  config_.tie_word_embeddings = true;  // tied, without a head
  EXPECT_TRUE(at::equal(output_head(load()), weights_.embedding));
}

}  // namespace
}  // namespace dflash
