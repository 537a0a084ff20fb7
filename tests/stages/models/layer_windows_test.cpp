// SPDX-License-Identifier: Apache-2.0
#include "stages/models/layer_windows.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr auto kFull = LayerKind::kFull;
constexpr auto kSliding = LayerKind::kSliding;

LayerWindows read(const std::string& text, TargetFamily family = TargetFamily::kQwen3, std::int64_t layers = 3) {
  const Json json = Json::parse(text);
  ConfigFields fields(json, "file");
  LayerWindows windows = read_layer_windows(fields, traits_of(family), layers);
  fields.finish();
  return windows;
}

auto reading(const std::string& text, TargetFamily family = TargetFamily::kQwen3) {
  return [=] { (void)read(text, family); };
}

auto refuses(const std::string& text) { return ThrowsMessage<UserError>(HasSubstr(text)); }

TEST(LayerWindows, ReadsTheKindOfEachLayer) {
  const LayerWindows windows = read(R"({"use_sliding_window": true, "sliding_window": 6,
                                        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]})");
  EXPECT_THAT(windows.types, ElementsAre(kSliding, kFull, kSliding));
  EXPECT_EQ(windows.window, 6);
}

TEST(LayerWindows, SlidesFromMaxWindowLayersOnWhereNoKindsAreWritten) {
  const LayerWindows windows = read(R"({"use_sliding_window": true, "sliding_window": 6, "max_window_layers": 1})");
  EXPECT_THAT(windows.types, ElementsAre(kFull, kSliding, kSliding));
}

TEST(LayerWindows, HasNoWindowWhereNoLayerSlides) {
  for (const char* text : {"{}", R"({"use_sliding_window": false, "sliding_window": 6, "max_window_layers": 0})",
                           R"({"use_sliding_window": true, "sliding_window": 6})",
                           R"({"use_sliding_window": true, "sliding_window": null, "max_window_layers": 0})",
                           R"({"layer_types": ["full_attention", "full_attention", "full_attention"]})"}) {
    const LayerWindows windows = read(text);
    EXPECT_THAT(windows.types, IsEmpty()) << text;
    EXPECT_EQ(windows.window, 0) << text;
  }
}

TEST(LayerWindows, ComesBackFromWhatItWrites) {
  Json json;
  write_layer_windows({.types = {kFull, kSliding, kFull}, .window = 9}, json);
  const LayerWindows windows = read(json.dump());
  EXPECT_THAT(windows.types, ElementsAre(kFull, kSliding, kFull));
  EXPECT_EQ(windows.window, 9);
  write_layer_windows({}, json = Json::object());
  EXPECT_THAT(read(json.dump()).types, IsEmpty());
}

TEST(LayerWindows, RefusesWhatContradictsItselfOrIsNotKnown) {
  EXPECT_THAT(reading(R"({"layer_types": ["full_attention", "sliding_attention", "full_attention"]})"),
              refuses("need use_sliding_window true and sliding_window"));
  EXPECT_THAT(reading(R"({"layer_types": ["full_attention"]})"), refuses("for each of 3 layers"));
  EXPECT_THAT(reading(R"({"layer_types": ["full_attention", "full_attention", "chunked_attention"]})"),
              refuses("layer_types is [\"full_attention\",\"full_attention\",\"chunked_attention\"]"));
  EXPECT_THAT(reading(R"({"layer_types": 3})"), refuses("layer_types is 3"));
  EXPECT_THAT(reading(R"({"sliding_window": 0})"), refuses("sliding_window is 0"));
  EXPECT_THAT([] { (void)read("{}", TargetFamily::kQwen2, 1025); }, refuses("num_hidden_layers is 1025"));
}

TEST(LayerWindows, RefusesWindowsOfAFamilyThatHasNone) {
  EXPECT_THAT(reading(R"({"sliding_window": 6})", TargetFamily::kLlama),
              refuses("LlamaForCausalLM has no sliding layers; found use_sliding_window false, sliding_window 6"));
  EXPECT_THAT(
      reading(R"({"layer_types": ["full_attention", "sliding_attention", "full_attention"]})", TargetFamily::kLlama),
      refuses("LlamaForCausalLM has no sliding layers; found some in layer_types"));
}

}  // namespace
}  // namespace dflash
