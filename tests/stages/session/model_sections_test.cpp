// SPDX-License-Identifier: Apache-2.0
#include "stages/session/model_sections.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/export/drafter_folder.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ResolveDrafterConfig : public testing::Test {
 protected:
  ResolveDrafterConfig() : target_{read_target_config(DFLASH_SOURCE_DIR "/configs/tiny/target")} {
    section_.config.set(DFLASH_SOURCE_DIR "/configs/tiny/drafter.json");
  }
  [[nodiscard]] DrafterConfig resolve() const {
    Diagnostics diagnostics;
    GraphMistakes mistakes{diagnostics};
    const std::optional<DrafterConfig> config = resolve_drafter_config(section_, target_, &codec_, mistakes);
    diagnostics.throw_if_any();
    return config.value();
  }
  [[nodiscard]] std::vector<std::string> mistakes() const {
    Diagnostics diagnostics;
    GraphMistakes mistakes{diagnostics};
    EXPECT_FALSE(resolve_drafter_config(section_, target_, &codec_, mistakes).has_value());
    return diagnostics.mistakes();
  }
  [[nodiscard]] static Json shipped() {
    return Json::parse(std::ifstream{DFLASH_SOURCE_DIR "/configs/tiny/drafter.json"}, nullptr, true, true);
  }
  [[nodiscard]] std::string file() const { return (folder_.path() / "drafter.json").string(); }
  void write(const Json& json) {
    std::ofstream{file()} << json;
    section_.config.set(file());
  }

  TemporaryFolder folder_;
  DrafterSection section_;
  TargetConfig target_;
  TextCodec codec_ = load_text_codec(DFLASH_SOURCE_DIR "/configs/tiny/target");
};

TEST_F(ResolveDrafterConfig, FillsWhatTheTargetSettles) {
  const DrafterConfig config = resolve();
  EXPECT_EQ(config.vocab_size, target_.vocab_size);
  EXPECT_EQ(config.num_target_layers, target_.num_hidden_layers);
  EXPECT_EQ(config.rope_theta, target_.rope_theta);
  EXPECT_THAT(config.target_layer_ids, ElementsAre(1, 3, 4));
}

TEST_F(ResolveDrafterConfig, KeepsTheRotaryAnglesOfTheFileBesideATargetOfOthers) {
  target_.rope_theta = 5e5;
  target_.rope_scaling = {.kind = RopeKind::kLlama3, .factor = 8.0, .original_positions = 8192};
  Json json = shipped();
  json.erase("rope_theta");
  write(json);
  EXPECT_EQ(resolve().rope_theta, 5e5);
  json["rope_parameters"] = {{"rope_theta", 2e4}, {"rope_type", "default"}};
  write(json);
  EXPECT_EQ(resolve().rope_theta, 2e4);
  EXPECT_EQ(drafter_config_json(resolve(), "float32").at("rope_scaling"), nullptr);
}

TEST_F(ResolveDrafterConfig, LetsTheGraphOverrideTheFile) {
  section_.block_size.set(4);
  section_.layers.set("hybrid");
  section_.window.set(32);
  section_.taps.set({0, 2});
  const DrafterConfig config = resolve();
  EXPECT_EQ(config.block_size, 4);
  EXPECT_THAT(config.layer_types, ElementsAre(LayerKind::kSliding, LayerKind::kFull));
  EXPECT_EQ(config.window, 32);
  EXPECT_THAT(config.target_layer_ids, ElementsAre(0, 2));
}

TEST_F(ResolveDrafterConfig, BlamesTheOverrideThatBroughtAFault) {
  section_.taps.set({1, 5});
  EXPECT_THAT(mistakes(),
              ElementsAre("/models/drafter/taps: found [1, 5], allowed: layers from 0 to 4 that ascend "
                          "without repetition; the output of the last layer is served after the final norm"));
}

TEST_F(ResolveDrafterConfig, BlamesTheOverrideAmongTheValuesThatDoNotGoTogether) {
  section_.layers.set("sliding");
  section_.window.set(4);
  EXPECT_THAT(mistakes(), ElementsAre("/models/drafter/window: found 4, allowed where a layer is sliding: at least "
                                      "block_size, 8"));
  section_.window.set(std::nullopt);
  section_.block_size.set(100);
  EXPECT_THAT(mistakes(), ElementsAre("/models/drafter/block_size: sliding_window: found 64, allowed where a layer is "
                                      "sliding: at least block_size, 100"));
}

TEST_F(ResolveDrafterConfig, BlamesTheFileWithThePlaceInItForItsOwnFaults) {
  target_.hidden_size = 64;
  EXPECT_THAT(mistakes(), ElementsAre("/models/drafter/config: " + section_.config() +
                                      ":5:18: hidden_size: found 128, allowed: the target's, 64, whose embedding and "
                                      "head the drafter uses"));
}

TEST_F(ResolveDrafterConfig, BlamesTheLayoutWhereTheFileHasNoWindow) {
  Json json = shipped();
  json.erase("sliding_window");
  write(json);
  section_.layers.set("hybrid");
  EXPECT_THAT(mistakes(),
              ElementsAre("/models/drafter/layers: sliding_window: is missing, which a sliding layer needs: "
                          "at least block_size, 8"));
}

TEST_F(ResolveDrafterConfig, TakesTheShapeOfAStoredDrafterWithOverridesOnTop) {
  const DrafterConfig config = resolve();
  write_drafter_folder(config, init_drafter(config, 1), at::kFloat, folder_.path());
  section_.config.set("");
  section_.path.set(folder_.path().string());
  EXPECT_EQ(drafter_config_json(resolve(), ""), drafter_config_json(config, ""));
  section_.block_size.set(4);
  EXPECT_EQ(resolve().block_size, 4);
  write_drafter_folder(config, init_drafter(config, 1), at::kFloat, folder_.path(),
                       {.format = ExportFormat::kSpeculators, .verifier = {"/target", "Qwen3ForCausalLM"}});
  section_.block_size.set(std::nullopt);
  EXPECT_EQ(drafter_config_json(resolve(), ""), drafter_config_json(config, ""));
}

TEST_F(ResolveDrafterConfig, E01RefusesAStoredDrafterThatDoesNotNameItsTaps) {
  Json json = drafter_config_json(resolve(), "float32");
  json["dflash_config"].erase("target_layer_ids");
  std::ofstream{folder_.path() / "config.json"} << json;
  section_.config.set("");
  section_.path.set(folder_.path().string());
  EXPECT_THAT(mistakes(), ElementsAre(AllOf(HasSubstr("/models/drafter/path: "),
                                            HasSubstr("dflash_config.target_layer_ids: is missing"))));
}

TEST_F(ResolveDrafterConfig, NeedsAFileOrAFolderAndNotBoth) {
  section_.path.set(folder_.path().string());
  EXPECT_THAT(mistakes(), ElementsAre(AllOf(HasSubstr("/models/drafter/config: found"),
                                            HasSubstr("take it away: --set models.drafter.config="))));
  section_.config.set("");
  section_.weights.set(folder_.path().string());
  EXPECT_THAT(mistakes(), ElementsAre(HasSubstr("/models/drafter/weights: found")));
  section_.path.set("");
  EXPECT_THAT(mistakes(),
              ElementsAre(HasSubstr("/models/drafter: names no drafter; --set models.drafter.path=FOLDER")));
}

// The last row is the embedding's last; one more is none of its rows.
TEST_F(ResolveDrafterConfig, E09TakesAMaskTokenThatIsARowOfTheEmbeddingAndRefusesOthers) {
  Json json = shipped();
  json["dflash_config"]["mask_token_id"] = target_.vocab_size - 1;
  write(json);
  EXPECT_EQ(resolve().mask_token_id, target_.vocab_size - 1);
  EXPECT_EQ(drafter_config_json(resolve(), "float32").at("dflash_config").at("mask_token_id"), target_.vocab_size - 1);
  json["dflash_config"]["mask_token_id"] = target_.vocab_size;
  write(json);
  EXPECT_THAT(mistakes(), ElementsAre(HasSubstr("dflash_config.mask_token_id: found 1024")));
  json["dflash_config"].erase("mask_token_id");
  write(json);
  EXPECT_THAT(mistakes(), ElementsAre(HasSubstr("dflash_config.mask_token_id: is missing")));
  json["dflash_config"]["mask_token_id"] = codec_.pad_id;
  write(json);
  EXPECT_THAT(mistakes(), ElementsAre(HasSubstr("which is the target's padding token")));
}

// A drafter has rotary positions of its own, plain ones: what it is trained with is what is exported.
TEST_F(ResolveDrafterConfig, E04KeepsRotaryScalingNullAndRefusesWhatItDoesNotCompute) {
  Json json = shipped();
  json["rope_scaling"] = nullptr;
  write(json);
  EXPECT_EQ(drafter_config_json(resolve(), "float32").at("rope_scaling"), nullptr);
  for (const char* kind : {"yarn", "spiral"}) {
    json["rope_scaling"] = {{"rope_type", kind}, {"factor", 4.0}};
    write(json);
    EXPECT_THAT(mistakes(), ElementsAre(HasSubstr("rope_scaling: found"))) << kind;
  }
}

TEST_F(ResolveDrafterConfig, RefusesAMaskTokenThatEveryChatContains) {
  Json json = shipped();
  json["dflash_config"]["mask_token_id"] = 1;
  write(json);
  EXPECT_THAT(mistakes(), ElementsAre(AllOf(HasSubstr("dflash_config.mask_token_id: found 1, which is '<|im_start|>'"),
                                            HasSubstr("a chat: <|im_start|>user\\nHello!<|im_end|>"))));
  json["dflash_config"]["mask_token_id"] = 2;
  write(json);
  EXPECT_THAT(mistakes(), ElementsAre(HasSubstr("found 2, which is the target's end-of-turn token")));
}

TEST_F(ResolveDrafterConfig, SurvivesAFileOfAnyShape) {
  section_.layers.set("sliding");
  section_.taps.set({1});
  section_.block_size.set(4);
  for (const char* text : {"[]", "3", "{}", R"({"dflash_config": 3})", R"({"num_hidden_layers": "2"})",
                           R"({"num_hidden_layers": 1e300, "layer_types": {}})", R"({"num_hidden_layers": -1})",
                           R"({"num_hidden_layers": 999999999999})", "{", ""}) {
    std::ofstream{file()} << text;
    section_.config.set(file());
    EXPECT_THAT(mistakes(), testing::Not(testing::IsEmpty())) << text;
  }
}

TEST_F(ResolveDrafterConfig, NamesTheNearestFile) {
  section_.config.set(DFLASH_SOURCE_DIR "/configs/tiny/draftr.json");
  EXPECT_THAT(mistakes(),
              ElementsAre(AllOf(HasSubstr("/models/drafter/config: no such configuration of a drafter"),
                                HasSubstr("did you mean '" DFLASH_SOURCE_DIR "/configs/tiny/drafter.json'?"))));
}

TEST(DrafterSection, NamesTheNearestLayout) {
  DrafterSection section;
  EXPECT_THAT(section.layers.assign(Json("slidng")), testing::Optional(HasSubstr("did you mean 'sliding'?")));
}

}  // namespace
}  // namespace dflash
