// SPDX-License-Identifier: Apache-2.0
#include "stages/models/drafter_config.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "framework/core/error.h"
#include "tests/support/any_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Json tiny() {
  return Json::parse(R"({
    "architectures": ["DFlashDraftModel"], "model_type": "qwen3", "block_size": 8,
    "dflash_config": {"mask_token_id": 5, "target_layer_ids": [1, 3, 4]},
    "num_target_layers": 6, "hidden_size": 128, "intermediate_size": 384, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "vocab_size": 1024, "rope_theta": 10000})");
}

/// The faults of `json`, a line each: "KEY: MESSAGE".
std::string refusal(const Json& json) {
  ConfigFaults faults;
  (void)parse_drafter_config(json, faults);
  std::string lines;
  for (const ConfigFaults::Fault& fault : faults.faults()) {
    lines += fault.keys.front() + ": " + fault.message + "\n";
  }
  return lines;
}

DrafterConfig parsed(const Json& json) {
  ConfigFaults faults;
  DrafterConfig config = parse_drafter_config(json, faults);
  EXPECT_TRUE(faults.empty()) << refusal(json);
  return config;
}

Json with(const std::string& pointer, const Json& value) {
  Json json = tiny();
  json[Json::json_pointer(pointer)] = value;
  return json;
}

TEST(DrafterConfig, ReadsAZlabConfiguration) {
  const DrafterConfig config = parsed(tiny());
  EXPECT_EQ(config.hidden, 128);
  EXPECT_EQ(config.kv_size(), 64);
  EXPECT_EQ(config.block_size, 8);
  EXPECT_EQ(config.mask_token_id, 5);
  EXPECT_THAT(config.target_layer_ids, ElementsAre(1, 3, 4));
  EXPECT_THAT(config.layer_types, ElementsAre(LayerKind::kFull, LayerKind::kFull));
}

TEST(DrafterConfig, PrefersTheBlockSizeOfTheInnerObjectAndRefusesTwoThatDiffer) {
  Json inner = with("/dflash_config/block_size", 16);
  EXPECT_THAT(refusal(inner), HasSubstr("dflash_config.block_size: found 16, but the block_size outside is 8"));
  inner.erase("block_size");
  EXPECT_EQ(parsed(inner).block_size, 16);
}

TEST(DrafterConfig, DerivesAbsentTapsFromTheTargetsDepth) {
  Json json = with("/num_target_layers", 36);
  json["dflash_config"].erase("target_layer_ids");
  json["num_hidden_layers"] = 5;
  EXPECT_THAT(parsed(json).target_layer_ids, ElementsAre(1, 9, 17, 25, 33));
}

TEST(DrafterConfig, ReadsSlidingLayers) {
  Json json = with("/layer_types", {"sliding_attention", "full_attention"});
  json["use_sliding_window"] = true;
  json["sliding_window"] = 64;
  const DrafterConfig config = parsed(json);
  EXPECT_THAT(config.layer_types, ElementsAre(LayerKind::kSliding, LayerKind::kFull));
  EXPECT_EQ(config.window, 64);
  EXPECT_TRUE(config.sliding_causal);
  json["is_causal"] = false;
  EXPECT_FALSE(parsed(json).sliding_causal);
}

TEST(DrafterConfig, NamesAllFaultsAtOnceWithTheNearestKey) {
  Json json = with("/hiden_size", 3);
  json["num_hidden_layers"] = 2.5;
  json["hidden_act"] = "gelu";
  json["dflash_config"]["mask_token"] = 3;
  EXPECT_THAT(refusal(json), AllOf(HasSubstr("hiden_size: unknown key; did you mean 'hidden_size'?"),
                                   HasSubstr("num_hidden_layers: found 2.5, allowed: an integer"),
                                   HasSubstr("hidden_act: found \"gelu\", allowed: \"silu\""),
                                   HasSubstr("dflash_config.mask_token: unknown key; did you mean 'mask_token_id'?")));
}

TEST(DrafterConfig, RefusesTapsThatServersWouldNotRead) {
  EXPECT_THAT(refusal(with("/dflash_config/target_layer_ids", {1, 5})),
              HasSubstr("found [1, 5], allowed: layers from 0 to 4"));
  EXPECT_THAT(refusal(with("/dflash_config/target_layer_ids", {3, 1})),
              HasSubstr("found [3, 1], allowed: layers from 0 to 4 that ascend"));
}

TEST(DrafterConfig, RefusesAMaskTokenThatIsNoRowOrMeansSomethingElse) {
  EXPECT_THAT(refusal(with("/dflash_config/mask_token_id", 1024)),
              HasSubstr("found 1024, allowed: a row of the target's embedding, 0 to 1023"));
  EXPECT_THAT(refusal(with("/pad_token_id", 5)), HasSubstr("found 5, which is pad_token_id too"));
  EXPECT_THAT(refusal(with("/eos_token_id", 5)), HasSubstr("found 5, which is eos_token_id too"));
}

TEST(DrafterConfig, RefusesAWindowBelowTheBlockAndContradictions) {
  Json json = with("/layer_types", {"sliding_attention", "sliding_attention"});
  json["sliding_window"] = 7;
  EXPECT_THAT(refusal(json),
              HasSubstr("sliding_window: found 7, allowed where a layer is sliding: at least block_size, 8"));
  json["sliding_window"] = 8;
  json["use_sliding_window"] = false;
  EXPECT_THAT(refusal(json), HasSubstr("use_sliding_window: found false, but layer_types has sliding layers"));
  EXPECT_THAT(refusal(with("/is_causal", true)), HasSubstr("is_causal: found true, which makes full layers causal"));
}

TEST(DrafterConfig, RefusesSizesThatNoDrafterHas) {
  EXPECT_THAT(refusal(with("/num_hidden_layers", 1'000'000'000)), HasSubstr("allowed: 1 to 1024"));
  EXPECT_THAT(refusal(with("/num_key_value_heads", 3)),
              HasSubstr("found 4, allowed: a multiple of num_key_value_heads, 3"));
  EXPECT_THAT(refusal(Json::array()), HasSubstr("found [], allowed: an object"));
}

TEST(DrafterConfig, NamesThePlacesOfAllFaultsOfAFile) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "drafter.json").string();
  std::ofstream{path} << "{ // a drafter\n  \"hiden_size\": 3,\n  \"dflash_config\": { \"block_size\": 2.5 }\n}";
  EXPECT_THAT([&] { (void)load_drafter_config(path); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("drafter.json:2:17: hiden_size: unknown key"),
                                             HasSubstr("drafter.json:3:36: dflash_config.block_size: found 2.5"),
                                             HasSubstr("drafter.json:1:1: hidden_size: is missing"))));
  EXPECT_THAT(
      [&] { (void)load_drafter_config(path + "x"); },
      ThrowsMessage<UserError>(AllOf(HasSubstr("no such configuration of a drafter"), HasSubstr("drafter.json'?"))));
}

// Any change gives faults, or a configuration that its own writer and reader agree on.
RC_GTEST_PROP(DrafterConfig, ReadsOrRefusesAnyChange, ()) {
  Json json = tiny();
  json.update(
      {{"layer_types", {"sliding_attention", "full_attention"}}, {"use_sliding_window", true}, {"sliding_window", 64}});
  json = mutated(json);
  ConfigFaults faults;
  const DrafterConfig config = parse_drafter_config(json, faults);
  if (faults.empty()) {
    RC_ASSERT(config.block_size >= 2);
    const Json written = drafter_config_json(config, "float32");
    ConfigFaults again;
    RC_ASSERT(drafter_config_json(parse_drafter_config(written, again), "float32") == written);
    RC_ASSERT(again.empty());
  }
}

TEST(DrafterConfig, RoundsTapIdsHalfToEven) {
  EXPECT_THAT(default_target_layer_ids(16, 5), ElementsAre(1, 4, 7, 10, 13));
  EXPECT_THAT(default_target_layer_ids(36, 5), ElementsAre(1, 9, 17, 25, 33));
  EXPECT_THAT(default_target_layer_ids(64, 5), ElementsAre(1, 16, 31, 46, 61));
  EXPECT_THAT(default_target_layer_ids(62, 5), ElementsAre(1, 16, 30, 44, 59));
  EXPECT_THAT(default_target_layer_ids(40, 8), ElementsAre(1, 6, 11, 16, 22, 27, 32, 37));
  EXPECT_THAT(default_target_layer_ids(28, 1), ElementsAre(14));
  EXPECT_THROW(default_target_layer_ids(6, 5), UserError);
}

TEST(DrafterConfig, LaysLayersOutByName) {
  EXPECT_THAT(layer_kinds("hybrid", 3), ElementsAre(LayerKind::kSliding, LayerKind::kSliding, LayerKind::kFull));
  EXPECT_THAT([] { layer_kinds("slidng", 2); }, ThrowsMessage<UserError>(HasSubstr("did you mean 'sliding'")));
}

TEST(DrafterConfig, WritesWhatItReads) {
  Json json = with("/layer_types", {"sliding_attention", "full_attention"});
  json["sliding_window"] = 64;
  json["sliding_window_non_causal"] = true;
  json["pad_token_id"] = 0;
  const DrafterConfig config = parsed(json);
  const Json written = drafter_config_json(config, "bfloat16");
  EXPECT_EQ(drafter_config_json(parsed(written), "bfloat16"), written);
  EXPECT_EQ(written.at("is_causal"), false);
}

TEST(DrafterConfig, WritesEveryKeyThatALoaderWouldElseGuess) {
  const Json written = drafter_config_json(parsed(tiny()), "float32");
  EXPECT_EQ(written.at("block_size"), 8);
  EXPECT_EQ(written.at("dflash_config").at("block_size"), 8);
  EXPECT_EQ(written.at("num_target_layers"), 6);
  EXPECT_EQ(written.at("layer_types").size(), 2);
  EXPECT_EQ(written.at("use_sliding_window"), false);
  EXPECT_EQ(written.at("dtype"), "float32");
  EXPECT_FALSE(written.contains("is_causal"));
}

}  // namespace
}  // namespace dflash
