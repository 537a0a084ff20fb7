// SPDX-License-Identifier: Apache-2.0
#include "stages/export/drafter_folder.h"

#include <map>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "stages/evaluate/network_models.h"
#include "stages/export/parity_set.h"
#include "tests/stages/evaluate/zlab_golden.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using test::golden_drafter;
using ::testing::HasSubstr;

std::vector<NamedTensor> golden_tensors() {
  std::vector<NamedTensor> tensors;
  for_each_parameter(golden_drafter().weights,
                     [&](const std::string& name, const at::Tensor& value) { tensors.emplace_back(name, value); });
  return tensors;
}

std::string refusal_of(const std::vector<NamedTensor>& tensors) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "drafter.safetensors", tensors);
  try {
    (void)read_drafter_weights(golden_drafter().config, folder.path() / "drafter.safetensors", at::kFloat);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DrafterFolder, HoldsExactlyTheTensorsOfTheDrafterInTheTypeAskedFor) {
  const TemporaryFolder folder;
  write_drafter_folder(golden_drafter().config, golden_drafter().weights, at::kBFloat16, folder.path());
  const SafetensorsFile file(folder.path() / "model.safetensors");
  EXPECT_EQ(file.tensors().size(), 11U * 2U + 3U);
  EXPECT_THAT(file.tensors(), ::testing::Each(::testing::Field(&StoredTensor::type, at::kBFloat16)));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_NE(file.find("layers.1.self_attn.k_norm.weight"), nullptr);
}

TEST(DrafterFolder, ComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  write_drafter_folder(golden_drafter().config, golden_drafter().weights, at::kFloat, folder.path());
  const StoredDrafter read = read_drafter_folder(folder.path(), at::kFloat);
  EXPECT_EQ(drafter_config_json(read.config, "float32"), drafter_config_json(golden_drafter().config, "float32"));
  for_each_parameter(read.weights, [](const std::string& name, const at::Tensor& value) {
    const SafetensorsFile original(test::golden_folder() / "drafter" / "model.safetensors");
    EXPECT_TRUE(at::equal(value, original.tensor(name).to(at::kFloat))) << name;
  });
}

TEST(DrafterFolder, ComesBackFromTheSpeculatorsLayoutWithTheSameBytes) {
  const TemporaryFolder zlab;
  const TemporaryFolder speculators;
  const DrafterConfig& config = golden_drafter().config;
  write_drafter_folder(config, golden_drafter().weights, at::kBFloat16, zlab.path());
  write_drafter_folder(config, golden_drafter().weights, at::kBFloat16, speculators.path(),
                       {.format = ExportFormat::kSpeculators, .verifier = {"/target", "Qwen3ForCausalLM"}});
  EXPECT_EQ(hash_file(zlab.path() / "model.safetensors"), hash_file(speculators.path() / "model.safetensors"));
  const StoredDrafter read = read_drafter_folder(speculators.path(), at::kFloat, config.num_target_layers);
  EXPECT_EQ(drafter_config_json(read.config, "float32"), drafter_config_json(config, "float32"));
  EXPECT_THROW(read_drafter_folder(speculators.path(), at::kFloat), UserError) << "whose number of layers is unknown";
}

TEST(DrafterFolder, LeavesOutTheCopiesOfTheTargetsTensors) {
  const TemporaryFolder folder;
  std::vector<NamedTensor> tensors = golden_tensors();
  tensors.emplace_back("embed_tokens.weight", at::zeros({4, 2}));
  tensors.emplace_back("lm_head.weight", at::zeros({4, 2}));
  write_safetensors(folder.path() / "drafter.safetensors", tensors);
  EXPECT_NO_THROW(
      (void)read_drafter_weights(golden_drafter().config, folder.path() / "drafter.safetensors", at::kFloat));
}

TEST(DrafterFolder, E01RefusesAFolderThatDoesNotNameItsTaps) {
  const TemporaryFolder folder;
  write_drafter_folder(golden_drafter().config, golden_drafter().weights, at::kFloat, folder.path());
  Json json = Json::parse(read_text(folder.path() / "config.json"));
  EXPECT_EQ(json.at("dflash_config").at("target_layer_ids"), Json(golden_drafter().config.target_layer_ids));
  json["dflash_config"].erase("target_layer_ids");
  write_durably(folder.path() / "config.json", json.dump());
  EXPECT_THAT([&] { (void)read_drafter_folder(folder.path(), at::kFloat); },
              ::testing::ThrowsMessage<UserError>(HasSubstr("dflash_config.target_layer_ids")));
}

// The header of z-lab's Qwen3-8B drafter: 5 layers of 11 tensors, and three more.
TEST(DrafterFolder, E07HoldsTheTensorsOfAPublishedDrafterAndNoOthers) {
  DrafterConfig config = golden_drafter().config;
  config.hidden = 4096, config.intermediate = 12288, config.layers = 5;
  config.heads = 32, config.kv_heads = 8, config.head_dim = 128, config.target_layer_ids = {1, 9, 17, 25, 33};
  std::map<std::string, std::vector<std::int64_t>> expected{
      {"fc.weight", {4096, 20480}}, {"hidden_norm.weight", {4096}}, {"norm.weight", {4096}}};
  for (int layer = 0; layer < 5; ++layer) {
    const std::string prefix = "layers." + std::to_string(layer) + ".";
    expected.insert({{prefix + "input_layernorm.weight", {4096}},
                     {prefix + "post_attention_layernorm.weight", {4096}},
                     {prefix + "self_attn.q_proj.weight", {4096, 4096}},
                     {prefix + "self_attn.k_proj.weight", {1024, 4096}},
                     {prefix + "self_attn.v_proj.weight", {1024, 4096}},
                     {prefix + "self_attn.o_proj.weight", {4096, 4096}},
                     {prefix + "self_attn.q_norm.weight", {128}},
                     {prefix + "self_attn.k_norm.weight", {128}},
                     {prefix + "mlp.gate_proj.weight", {12288, 4096}},
                     {prefix + "mlp.up_proj.weight", {12288, 4096}},
                     {prefix + "mlp.down_proj.weight", {4096, 12288}}});
  }
  std::map<std::string, std::vector<std::int64_t>> found;
  DrafterWeights weights = empty_drafter(config);
  for_each_parameter(
      weights, [&](const std::string& name, const at::Tensor&) { found.emplace(name, parameter_shape(config, name)); });
  EXPECT_EQ(found, expected);
}

TEST(DrafterFolder, E05KeepsSlidingLayersThroughAnExport) {
  DrafterConfig config = golden_drafter().config;
  config.layer_types = {LayerKind::kSliding, LayerKind::kSliding};
  config.window = 8;
  for (const ExportFormat format : {ExportFormat::kZlab, ExportFormat::kSpeculators}) {
    const TemporaryFolder folder;
    write_drafter_folder(config, golden_drafter().weights, at::kFloat, folder.path(),
                         {.format = format, .verifier = {"/target", "Qwen3ForCausalLM"}});
    const StoredDrafter read = read_drafter_folder(folder.path(), at::kFloat, config.num_target_layers);
    const auto accepted = [](const DrafterConfig& of, const DrafterWeights& weights) {
      const DecodeModels models =
          network_models(test::golden_target().config, test::golden_target().weights, of, weights, 40);
      return parity_set(models, test::golden_prompts(), {.new_tokens = 40, .block_size = 8});
    };
    const Json before = accepted(config, golden_drafter().weights);
    EXPECT_EQ(accepted(read.config, read.weights), before);
    EXPECT_NE(accepted(golden_drafter().config, golden_drafter().weights), before);
  }
}

TEST(DrafterFolder, ReadsAFolderThatOthersWrote) {
  const StoredDrafter read = read_drafter_folder(test::golden_folder() / "drafter", at::kFloat);
  EXPECT_EQ(read.config.block_size, 8);
  EXPECT_EQ(read.weights.fc.scalar_type(), at::kFloat);
}

TEST(DrafterFolder, RefusesAMissingTensorByName) {
  std::vector<NamedTensor> tensors = golden_tensors();
  tensors.erase(tensors.begin());
  EXPECT_THAT(refusal_of(tensors), HasSubstr("'fc.weight' is missing"));
}

TEST(DrafterFolder, RefusesATensorThatIsNotTheDraftersAndNamesTheNearest) {
  std::vector<NamedTensor> tensors = golden_tensors();
  tensors.front().first = "fc.weights";
  EXPECT_THAT(refusal_of(tensors),
              ::testing::AllOf(HasSubstr("'fc.weights' is no parameter of a drafter"), HasSubstr("fc.weight")));
}

TEST(DrafterFolder, RefusesAShapeThatTheConfigurationDoesNotGive) {
  std::vector<NamedTensor> tensors = golden_tensors();
  tensors.front().second = at::zeros({32, 64});
  EXPECT_THAT(refusal_of(tensors), HasSubstr("'fc.weight' has shape [32, 64], the configuration gives [32, 96]"));
}

TEST(DrafterFolder, WarnsOfSlidingLayersInTheSpeculatorsLayout) {
  DrafterConfig config = golden_drafter().config;
  config.layer_types = {LayerKind::kFull, LayerKind::kFull};
  EXPECT_THAT(serving_warnings(config, ExportFormat::kSpeculators), ::testing::IsEmpty());
  config.layer_types = {LayerKind::kSliding, LayerKind::kFull};
  EXPECT_THAT(serving_warnings(config, ExportFormat::kSpeculators), ::testing::ElementsAre(HasSubstr("window")));
}

TEST(DrafterFolder, WarnsOfBidirectionalSlidingLayersOnly) {
  DrafterConfig config = golden_drafter().config;
  EXPECT_THAT(serving_warnings(config), ::testing::IsEmpty());
  config.sliding_causal = false;
  EXPECT_THAT(serving_warnings(config), ::testing::ElementsAre(HasSubstr("SGLang")));
  config.layer_types = {LayerKind::kFull, LayerKind::kFull};
  EXPECT_THAT(serving_warnings(config), ::testing::IsEmpty());
}

}  // namespace
}  // namespace dflash
