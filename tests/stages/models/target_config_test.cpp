// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_config.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/any_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
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

TEST(TargetConfig, ComesBackFromWhatItWrites) {
  TargetConfig config = read_target_config(kGoldens / "untied_new");
  config.eos_token_ids = {1, 5};
  config.dtype = at::kBFloat16;
  const TemporaryFolder folder;
  write_target_config(folder.path(), config);
  const TargetConfig again = read_target_config(folder.path());
  EXPECT_EQ(target_config_to_json(again), target_config_to_json(config));
  EXPECT_THAT(again.eos_token_ids, ElementsAre(1, 5));
  EXPECT_EQ(again.dtype, at::kBFloat16);
  EXPECT_EQ(again.intermediate_size, 40);
}

TEST(TargetConfig, RefusesByNameWhatIsNotSupported) {
  const Json json = golden_json("untied_new");
  const auto refuses = [](const std::string& text) {
    return ThrowsMessage<UserError>(
        AllOf(HasSubstr("config.json"), HasSubstr("supported: Qwen3ForCausalLM"), HasSubstr(text)));
  };
  EXPECT_THAT(reading(json, "architectures", {"LlamaForCausalLM"}), refuses("architectures [\"LlamaForCausalLM\"]"));
  EXPECT_THAT(reading(json, "architectures", nullptr), refuses("architectures (missing)"));
  EXPECT_THAT(reading(json, "model_type", "qwen2"), refuses("model_type 'qwen2'"));
  EXPECT_THAT(reading(json, "attention_bias", true), refuses("attention_bias true"));
  EXPECT_THAT(reading(json, "use_sliding_window", true), refuses("use_sliding_window true"));
  EXPECT_THAT(reading(json, "layer_types", {"sliding_attention"}), refuses("layer_types"));
  EXPECT_THAT(reading(json, "hidden_act", "gelu"), refuses("hidden_act 'gelu'"));
  EXPECT_THAT(reading(json, "rope_scaling", {{"type", "yarn"}}), refuses("rope_scaling {\"type\":\"yarn\"}"));
  EXPECT_THAT(reading(json, "rope_parameters", {{"rope_theta", 1e4}, {"rope_type", "yarn"}}),
              refuses("rope_type 'yarn'"));
  EXPECT_THAT(reading(json, "quantization_config", {{"quant_method", "fp8"}}), refuses("quantization_config"));
  EXPECT_THAT(reading(json, "dtype", "int8"), refuses("dtype 'int8'"));
}

TEST(TargetConfig, RefusesValuesThatContradictEachOther) {
  const Json json = golden_json("untied_new");
  EXPECT_THAT(reading(json, "rope_theta", 1e4), ThrowsMessage<UserError>(HasSubstr("rope_theta differs")));
  EXPECT_THAT(reading(json, "num_key_value_heads", 3), ThrowsMessage<UserError>(HasSubstr("4 is not a multiple of")));
  EXPECT_THAT(reading(json, "head_dim", 7), ThrowsMessage<UserError>(HasSubstr("head_dim 7 is odd")));
  EXPECT_THAT(reading(json, "eos_token_id", 96),
              ThrowsMessage<UserError>(HasSubstr("token id 96 is not below vocab_size 96")));
  EXPECT_THAT(reading(json, "eos_token_id", "x"), ThrowsMessage<UserError>(HasSubstr("eos_token_id")));
}

TEST(TargetConfig, TellsAllThatIsMissingAtOnce) {
  const Json empty = Json::object();
  EXPECT_THAT(
      [&] { (void)target_config_from_json(empty, "config.json"); },
      ThrowsMessage<UserError>(AllOf(HasSubstr("vocab_size is missing"), HasSubstr("head_dim is missing"),
                                     HasSubstr("rope_theta is missing"), HasSubstr("rms_norm_eps is missing"))));
}

// Any change gives a user's error, or a configuration that its own writer and reader agree on.
RC_GTEST_PROP(TargetConfig, ReadsOrRefusesAnyChange, ()) {
  const Json json = mutated(golden_json(*rc::gen::element("untied_new", "tied_old")));
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
