// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_config.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/stages/models/target_goldens.h"
#include "tests/support/any_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

const std::filesystem::path kGoldens = std::filesystem::path(DFLASH_SOURCE_DIR) / "tests/data/target";

Json golden_json(const std::string& name) { return Json::parse(read_text(kGoldens / name / "config.json")); }

auto reading(Json json, const std::string& key, const Json& value) {
  json[key] = value;
  return [json] { (void)target_config_from_json(json, "config.json"); };
}

TEST(TargetConfig, ReadsTheOldAndTheNewLayout) {
  const TargetConfig old_layout = read_target_config(kGoldens / "tied_old");
  const TargetConfig new_layout = read_target_config(kGoldens / "untied_new");
  EXPECT_EQ(old_layout.rope_theta, 5000.0);
  EXPECT_EQ(new_layout.rope_theta, 5000.0);
  EXPECT_TRUE(old_layout.tie_word_embeddings);
  EXPECT_FALSE(new_layout.tie_word_embeddings);
  EXPECT_EQ(old_layout.num_key_value_heads, 2);
  EXPECT_EQ(old_layout.rms_norm_eps, 1e-6);
  EXPECT_THAT(old_layout.eos_token_ids, ElementsAre(1));
  EXPECT_EQ(old_layout.pad_token_id, 0);
  EXPECT_EQ(old_layout.bos_token_id, std::nullopt);
  EXPECT_EQ(old_layout.dtype, at::kFloat);
}

TEST(TargetConfig, ReadsEachFamily) {
  const TargetConfig qwen2 = read_target_config(kGoldens / "qwen2_tied");
  EXPECT_EQ(qwen2.family, TargetFamily::kQwen2);
  EXPECT_EQ(qwen2.head_dim, 8);
  EXPECT_TRUE(has_qkv_bias(qwen2));
  EXPECT_FALSE(has_output_bias(qwen2) || has_head_norms(qwen2));
  const TargetConfig llama = read_target_config(kGoldens / "llama_plain");
  EXPECT_EQ(llama.family, TargetFamily::kLlama);
  EXPECT_EQ(llama.num_key_value_heads, 4);
  EXPECT_EQ(llama.rope_theta, 10000.0);
  EXPECT_EQ(llama.dtype, at::kHalf);
  EXPECT_FALSE(has_qkv_bias(llama) || has_output_bias(llama) || has_head_norms(llama));
  EXPECT_TRUE(has_output_bias(read_target_config(kGoldens / "llama_linear")));
  EXPECT_EQ(read_target_config(kGoldens / "llama_llama3").rope_scaling.original_positions, 32);
}

TEST(TargetConfig, TellsTheWindowOfEachLayer) {
  const TargetConfig config = read_target_config(kGoldens / "qwen3_sliding");
  EXPECT_EQ(window_of(config, 0), 6);
  EXPECT_EQ(window_of(config, 1), 0);
  EXPECT_EQ(window_of(config, 2), 6);
  EXPECT_EQ(window_of(read_target_config(kGoldens / "tied_old"), 1), 0);
}

TEST(TargetConfig, ComesBackFromWhatItWrites) {
  for (const std::string& name : kTargetGoldens) {
    TargetConfig config = read_target_config(kGoldens / name);
    config.eos_token_ids = {1, 5};
    config.dtype = at::kBFloat16;
    const TemporaryFolder folder;
    write_target_config(folder.path(), config);
    const TargetConfig again = read_target_config(folder.path());
    EXPECT_EQ(target_config_to_json(again), target_config_to_json(config)) << name;
    EXPECT_THAT(again.eos_token_ids, ElementsAre(1, 5));
    EXPECT_EQ(again.dtype, at::kBFloat16);
    EXPECT_EQ(again.family, config.family);
    EXPECT_EQ(again.rope_scaling, config.rope_scaling);
    EXPECT_EQ(again.layer_types, config.layer_types);
    EXPECT_EQ(again.attention_bias, config.attention_bias);
    EXPECT_EQ(again.intermediate_size, config.intermediate_size);
  }
}

TEST(TargetConfig, RefusesByNameWhatIsNotSupported) {
  const Json json = golden_json("untied_new");
  const auto refuses = [](const std::string& text) {
    return ThrowsMessage<UserError>(AllOf(HasSubstr("config.json"),
                                          HasSubstr("supported: Qwen3ForCausalLM, Qwen2ForCausalLM, LlamaForCausalLM;"),
                                          HasSubstr(text)));
  };
  EXPECT_THAT(reading(json, "architectures", {"Qwen3MoeForCausalLM"}),
              refuses("architectures [\"Qwen3MoeForCausalLM\"] of model_type 'qwen3' is not supported"));
  EXPECT_THAT(reading(json, "architectures", nullptr), refuses("architectures (missing)"));
  EXPECT_THAT(reading(json, "model_type", "qwen2"),
              refuses("model_type 'qwen2' is not supported with Qwen3ForCausalLM"));
  EXPECT_THAT(reading(json, "mlp_bias", true), refuses("mlp_bias true"));
  EXPECT_THAT(reading(json, "layer_types", {"sliding_attention"}), refuses("layer_types"));
  EXPECT_THAT(reading(json, "hidden_act", "gelu"), refuses("hidden_act 'gelu'"));
  EXPECT_THAT(reading(json, "rope_scaling", {{"type", "longrope"}}), refuses("rope_scaling: rope_type 'longrope'"));
  EXPECT_THAT(reading(json, "rope_parameters", {{"rope_theta", 1e4}, {"rope_type", "dynamic"}}),
              refuses("rope_parameters: rope_type 'dynamic'"));
  EXPECT_THAT(reading(json, "quantization_config", {{"quant_method", "fp8"}}), refuses("quantization_config"));
  EXPECT_THAT(reading(json, "dtype", "int8"), refuses("dtype 'int8'"));
}

// Sliding layers and attention_bias are computed where the family has them; see target_test.cpp and its goldens.
TEST(TargetConfig, E05RefusesPartialRotaryAndExpertsByName) {
  const Json json = golden_json("untied_new");
  EXPECT_THAT(reading(json, "partial_rotary_factor", 0.25), ThrowsMessage<UserError>(HasSubstr("partial_rotary")));
  EXPECT_THAT(reading(json, "architectures", {"Qwen3MoeForCausalLM"}),
              ThrowsMessage<UserError>(HasSubstr("Qwen3MoeForCausalLM")));
}

TEST(TargetConfig, AsksForNoKeysOfAnArchitectureThatItDoesNotKnow) {
  const Json json{{"architectures", {"GPT2LMHeadModel"}}, {"quantization_config", {{"quant_method", "awq"}}}};
  EXPECT_THAT([&] { (void)target_config_from_json(json, "config.json"); },
              ThrowsMessage<UserError>(
                  AllOf(HasSubstr("GPT2LMHeadModel"), HasSubstr("quantization_config"), Not(HasSubstr("is missing")))));
}

TEST(TargetConfig, RefusesValuesThatContradictEachOther) {
  const Json json = golden_json("untied_new");
  EXPECT_THAT(reading(json, "rope_theta", 1e4), ThrowsMessage<UserError>(HasSubstr("rope_theta differs")));
  EXPECT_THAT(reading(json, "num_key_value_heads", 3), ThrowsMessage<UserError>(HasSubstr("4 is not a multiple of")));
  EXPECT_THAT(reading(golden_json("qwen2_tied"), "hidden_size", 30),
              ThrowsMessage<UserError>(HasSubstr("head_dim is missing, and hidden_size 30 is not a multiple")));
  EXPECT_THAT(reading(json, "head_dim", 7), ThrowsMessage<UserError>(HasSubstr("head_dim 7 is odd")));
  EXPECT_THAT(reading(json, "eos_token_id", 96),
              ThrowsMessage<UserError>(HasSubstr("token id 96 is not below vocab_size 96")));
  EXPECT_THAT(reading(json, "eos_token_id", "x"), ThrowsMessage<UserError>(HasSubstr("eos_token_id")));
}

TEST(TargetConfig, TellsAllThatIsMissingAtOnce) {
  const Json empty{{"architectures", {"Qwen3ForCausalLM"}}};
  EXPECT_THAT(
      [&] { (void)target_config_from_json(empty, "config.json"); },
      ThrowsMessage<UserError>(AllOf(HasSubstr("vocab_size is missing"), HasSubstr("head_dim is missing"),
                                     HasSubstr("rope_theta is missing"), HasSubstr("rms_norm_eps is missing"))));
}

// Any change gives a user's error, or a configuration that its own writer and reader agree on.
RC_GTEST_PROP(TargetConfig, ReadsOrRefusesAnyChange, ()) {
  const Json json = mutated(golden_json(*rc::gen::elementOf(kTargetGoldens)));
  try {
    const TargetConfig config = target_config_from_json(json, "config.json");
    const Json written = target_config_to_json(config);
    RC_ASSERT(target_config_to_json(target_config_from_json(written, "config.json")) == written);
  } catch (const UserError& error) {
    RC_ASSERT(std::string_view{error.what()}.find("json.exception") == std::string_view::npos);
  }
}

TEST(TargetConfig, RefusesFilesThatAreAbsentOrNotJson) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { (void)read_target_config(folder.path()); }, ThrowsMessage<UserError>(HasSubstr("config.json")));
  write_durably(folder.path() / "config.json", "{");
  EXPECT_THAT([&] { (void)read_target_config(folder.path()); }, ThrowsMessage<UserError>(HasSubstr("not JSON")));
}

}  // namespace
}  // namespace dflash
