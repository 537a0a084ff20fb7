// SPDX-License-Identifier: Apache-2.0
#include "stages/models/rope_config.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

RopeConfig read(const std::string& text, std::optional<double> default_theta = std::nullopt) {
  const Json json = Json::parse(text);
  ConfigFields fields(json, "file");
  RopeConfig rope = read_rope_config(fields, {.theta = default_theta, .max_positions = 4096});
  fields.finish();
  return rope;
}

auto refuses(const std::string& text) { return ThrowsMessage<UserError>(HasSubstr(text)); }
auto reading(const std::string& text) {
  return [text] { (void)read(text); };
}

TEST(RopeConfig, ReadsTheOldAndTheNewLayout) {
  for (const char* text :
       {R"({"rope_theta": 5e5, "rope_scaling": {"type": "linear", "factor": 2}})",
        R"({"rope_theta": 5e5, "rope_scaling": {"rope_type": "linear", "type": "linear", "factor": 2}})",
        R"({"rope_parameters": {"rope_type": "linear", "rope_theta": 5e5, "factor": 2}})",
        R"({"rope_theta": 5e5, "rope_scaling": {"type": "linear", "factor": 2},
                               "rope_parameters": {"rope_type": "linear", "rope_theta": 5e5, "factor": 2.0}})"}) {
    const RopeConfig rope = read(text);
    EXPECT_EQ(rope.theta, 5e5);
    EXPECT_EQ(rope.scaling, (RopeScaling{.kind = RopeKind::kLinear, .factor = 2.0}));
  }
}

TEST(RopeConfig, TakesNothingForPlainPositions) {
  EXPECT_EQ(read(R"({"rope_theta": 1e6, "rope_scaling": null})").scaling, RopeScaling{});
  EXPECT_EQ(read(R"({"rope_parameters": {"rope_theta": 1e6, "partial_rotary_factor": 1.0}})").scaling, RopeScaling{});
  EXPECT_EQ(read("{}", 1e4).theta, 1e4);
}

TEST(RopeConfig, TakesThePositionsOfTheModelForThoseOfItsFirstTraining) {
  const std::string bounds = R"("factor": 8, "low_freq_factor": 1, "high_freq_factor": 4)";
  EXPECT_EQ(read(R"({"rope_theta": 1e4, "rope_scaling": {"rope_type": "llama3", )" + bounds + "}}")
                .scaling.original_positions,
            4096);
  EXPECT_EQ(read(R"({"rope_theta": 1e4, "original_max_position_embeddings": 64,
                     "rope_scaling": {"rope_type": "yarn", "factor": 8}})")
                .scaling.original_positions,
            64);
}

TEST(RopeConfig, ComesBackFromWhatItWrites) {
  const RopeScaling yarn{.kind = RopeKind::kYarn,
                         .factor = 4.0,
                         .original_positions = 32768,
                         .beta_fast = 30.0,
                         .beta_slow = 2.0,
                         .truncate = false,
                         .attention_factor = 1.25,
                         .mscale = 0.5,
                         .mscale_all_dim = 0.75};
  const RopeScaling linear{.kind = RopeKind::kLinear, .factor = 3.0};
  const RopeScaling llama3{.kind = RopeKind::kLlama3,
                           .factor = 8.0,
                           .original_positions = 8192,
                           .low_freq_factor = 2.0,
                           .high_freq_factor = 3.0};
  for (const RopeScaling& scaling : {RopeScaling{}, yarn, llama3, linear}) {
    Json json = Json::object();
    write_rope_config({.theta = 2e4, .scaling = scaling}, json);
    EXPECT_EQ(json.at("rope_theta"), 2e4);
    const RopeConfig again = read(json.dump());
    EXPECT_EQ(again.theta, 2e4);
    EXPECT_EQ(again.scaling, scaling) << json.dump();
  }
}

TEST(RopeConfig, RefusesByNameWhatIsNotSupported) {
  EXPECT_THAT(reading(R"({"rope_theta": 1e4, "rope_scaling": {"type": "dynamic", "factor": 2}})"),
              refuses("rope_scaling: rope_type 'dynamic' is not supported (supported: default, linear, llama3, yarn)"));
  EXPECT_THAT(reading(R"({"rope_parameters": {"rope_theta": 1e4, "rope_type": "longrope"}})"),
              refuses("rope_parameters: rope_type 'longrope'"));
  EXPECT_THAT(reading(R"({"rope_theta": 1e4, "rope_scaling": {"mrope_section": [1, 1], "rope_type": "default"}})"),
              refuses("unknown key 'mrope_section'"));
  EXPECT_THAT(reading(R"({"rope_theta": 1e4, "partial_rotary_factor": 0.25})"), refuses("partial_rotary_factor 0.25"));
  EXPECT_THAT(reading(R"({"rope_parameters": {"rope_theta": 1e4, "partial_rotary_factor": 0.5}})"),
              refuses("partial_rotary_factor 0.5"));
  EXPECT_THAT(reading(R"({"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e4}}})"),
              refuses("unknown key 'full_attention'"));
  EXPECT_THAT(reading(R"({"rope_theta": 1e4, "rope_scaling": "yarn"})"), refuses("allowed: an object"));
}

TEST(RopeConfig, RefusesValuesThatContradictEachOther) {
  EXPECT_THAT(reading(R"({"rope_theta": 1e4, "rope_parameters": {"rope_theta": 1e6}})"), refuses("rope_theta differs"));
  EXPECT_THAT(reading(R"({"rope_theta": 1e4, "rope_scaling": {"type": "linear", "rope_type": "yarn", "factor": 2}})"),
              refuses("rope_type 'yarn' and type 'linear' differ"));
  EXPECT_THAT(reading(R"({"rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 2},
                          "rope_parameters": {"rope_type": "default"}})"),
              refuses("rope_scaling and rope_parameters differ"));
  EXPECT_THAT(reading(R"({"rope_theta": 1e4, "original_max_position_embeddings": 32, "rope_scaling":
                          {"type": "yarn", "factor": 2, "original_max_position_embeddings": 64}})"),
              refuses("original_max_position_embeddings differs"));
  EXPECT_THAT(reading(R"({"rope_theta": 1, "rope_scaling": {"type": "yarn", "factor": 2}})"),
              refuses("rope_theta is 1"));
  EXPECT_THAT(reading("{}"), refuses("rope_theta is missing"));
}

TEST(RopeConfig, TellsAllFaultsOfAKindsConstants) {
  EXPECT_THAT(
      reading(R"({"rope_theta": 1e4, "rope_scaling": {"rope_type": "llama3", "factors": 8, "low_freq_factor": -1}})"),
      ThrowsMessage<UserError>(AllOf(HasSubstr("unknown key 'factors'"), HasSubstr("did you mean 'factor'"),
                                     HasSubstr("factor is missing"), HasSubstr("low_freq_factor is -1"),
                                     HasSubstr("high_freq_factor is missing"))));
  EXPECT_THAT(
      reading(R"({"rope_theta": 1e4, "rope_scaling": {"rope_type": "llama3", "factor": 0.5, "low_freq_factor": 4,
                          "high_freq_factor": 4}})"),
      ThrowsMessage<UserError>(AllOf(HasSubstr("factor is 0.5"), HasSubstr("high_freq_factor 4 is not above"))));
  EXPECT_THAT(reading(R"({"rope_theta": 1e4, "rope_scaling": {"rope_type": "yarn", "factor": 2, "beta_fast": 1,
                          "beta_slow": 32}})"),
              refuses("beta_fast 1 is below beta_slow 32"));
}

}  // namespace
}  // namespace dflash
