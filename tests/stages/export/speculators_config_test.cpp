// SPDX-License-Identifier: Apache-2.0
#include "stages/export/speculators_config.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/stages/evaluate/zlab_golden.h"

namespace dflash {
namespace {

using test::golden_drafter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Verifier kVerifier{.path = "/models/target", .architecture = "Qwen3ForCausalLM"};

DrafterConfig sliding(bool causal) {
  DrafterConfig config = golden_drafter().config;
  config.layer_types = {LayerKind::kSliding, LayerKind::kFull};
  config.window = 12;
  config.sliding_causal = causal;
  return config;
}

DrafterConfig full() {
  DrafterConfig config = golden_drafter().config;
  config.layer_types = {LayerKind::kFull, LayerKind::kFull};
  return config;
}

Json written(const DrafterConfig& config) { return speculators_config_json(config, "float32", kVerifier); }

std::vector<std::string> faults_of(const Json& json) {
  ConfigFaults faults;
  (void)stored_drafter_config(json, faults);
  std::vector<std::string> found;
  for (const ConfigFaults::Fault& fault : faults.faults()) {
    found.push_back(fault.keys.front() + ": " + fault.message);
  }
  return found;
}

TEST(SpeculatorsConfig, CountsTheLayersThatFeaturesEnter) {
  const Json json = written(golden_drafter().config);
  const std::vector<std::int64_t>& left = golden_drafter().config.target_layer_ids;
  const auto entered = json.at("aux_hidden_state_layer_ids").get<std::vector<std::int64_t>>();
  ASSERT_EQ(entered.size(), left.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(entered[i], left[i] + 1);
  }
}

TEST(SpeculatorsConfig, HasEveryKeyThatThePackageNeeds) {
  const Json json = written(golden_drafter().config);
  EXPECT_EQ(json.at("architectures"), Json::parse(R"(["DFlashDraftModel"])"));
  EXPECT_EQ(json.at("speculators_model_type"), "dflash");
  EXPECT_EQ(json.at("draft_vocab_size"), golden_drafter().config.vocab_size);
  EXPECT_EQ(json.at("block_size"), 8);
  EXPECT_EQ(json.at("mask_token_id"), golden_drafter().config.mask_token_id);
  EXPECT_EQ(json.at("dtype"), "float32");
  EXPECT_EQ(json.at("speculators_config").at("proposal_methods").at(0).at("speculative_tokens"), 7);
  EXPECT_EQ(json.at("speculators_config").at("verifier"),
            Json::parse(R"({"name_or_path": "/models/target", "architectures": ["Qwen3ForCausalLM"]})"));
  const Json& layers = json.at("transformer_layer_config");
  for (const char* key : {"model_type", "hidden_size", "head_dim", "num_key_value_heads", "vocab_size", "layer_types",
                          "use_sliding_window", "rope_theta", "rms_norm_eps"}) {
    EXPECT_TRUE(layers.contains(key)) << key;
  }
  for (const char* key : {"block_size", "dflash_config", "num_target_layers", "architectures"}) {
    EXPECT_FALSE(layers.contains(key)) << key;
  }
}

TEST(SpeculatorsConfig, SaysOfFullLayersThatNothingIsCausal) {
  EXPECT_EQ(written(full()).at("sliding_window_non_causal"), true);
  EXPECT_EQ(written(sliding(true)).at("sliding_window_non_causal"), false);
  EXPECT_EQ(written(sliding(false)).at("sliding_window_non_causal"), true);
}

TEST(SpeculatorsConfig, ComesBackAsTheZlabConfiguration) {
  for (const DrafterConfig& config : {full(), sliding(true), sliding(false)}) {
    ConfigFaults faults;
    Json json = stored_drafter_config(written(config), faults);
    json["num_target_layers"] = config.num_target_layers;
    const DrafterConfig read = parse_drafter_config(json, faults);
    ASSERT_TRUE(faults.empty()) << faults.faults().front().message;
    EXPECT_EQ(drafter_config_json(read, "float32"), drafter_config_json(config, "float32"));
  }
}

TEST(SpeculatorsConfig, E13RefusesAReducedVocabulary) {
  Json json = written(golden_drafter().config);
  json["draft_vocab_size"] = 32;
  EXPECT_THAT(faults_of(json), ElementsAre(HasSubstr("draft_vocab_size: found 32, allowed: the target's vocabulary")));
}

TEST(SpeculatorsConfig, E01RefusesTapsThatAreNotNamedInEitherLayout) {
  Json json = written(golden_drafter().config);
  json.erase("aux_hidden_state_layer_ids");
  EXPECT_THAT(faults_of(json), ElementsAre(HasSubstr("dflash_config.target_layer_ids: is missing")));
  Json zlab = drafter_config_json(golden_drafter().config, "float32");
  zlab["dflash_config"]["target_layer_ids"] = nullptr;
  EXPECT_THAT(faults_of(zlab), ElementsAre(HasSubstr("dflash_config.target_layer_ids: is missing")));
}

TEST(SpeculatorsConfig, RefusesWhatThisProgramDoesNotCompute) {
  Json json = written(golden_drafter().config);
  json["sample_from_anchor"] = true;
  json["target_hidden_size"] = 4096;
  json["speculators_model_type"] = "eagle3";
  json["something"] = 1;
  EXPECT_THAT(faults_of(json),
              ElementsAre(HasSubstr("something: unknown key"), HasSubstr("speculators_model_type: found \"eagle3\""),
                          HasSubstr("sample_from_anchor: found true"), HasSubstr("target_hidden_size: found 4096")));
  EXPECT_THAT(faults_of(Json{{"speculators_model_type", "dflash"}, {"transformer_layer_config", 3}}),
              ::testing::Contains(HasSubstr("transformer_layer_config: is missing")));
}

}  // namespace
}  // namespace dflash
