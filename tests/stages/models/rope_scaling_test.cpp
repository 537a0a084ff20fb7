// SPDX-License-Identifier: Apache-2.0
#include "stages/models/rope_scaling.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/json.h"
#include "stages/models/rope.h"
#include "stages/models/rope_config.h"
#include "stages/models/safetensors.h"

namespace dflash {
namespace {

RopeConfig read(const Json& parameters) {
  const Json json{{"rope_parameters", parameters}};
  ConfigFields fields(json, "file");
  RopeConfig rope = read_rope_config(fields, {});
  fields.finish();
  return rope;
}

TEST(RopeScaling, HasTheFrequenciesOfTransformers) {
  const SafetensorsFile goldens(std::filesystem::path(DFLASH_SOURCE_DIR) / "tests/data/target/rope.safetensors");
  ASSERT_EQ(goldens.metadata().size(), 9U);
  for (const auto& [name, parameters] : goldens.metadata()) {
    const RopeConfig rope = read(Json::parse(parameters));
    const at::Tensor expected = goldens.tensor(name + ".frequency");
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      const auto found = rotary_frequencies(2 * expected.size(0), rope.theta, rope.scaling, type);
      EXPECT_EQ(found.frequency.scalar_type(), type);
      EXPECT_TRUE(at::allclose(found.frequency.to(at::kFloat), expected, 2e-6, 0.0)) << name;
      EXPECT_NEAR(found.scale, goldens.tensor(name + ".scale").item<double>(), 1e-12) << name;
    }
  }
}

TEST(RopeScaling, DividesAllFrequenciesByALinearFactor) {
  const auto plain = rotary_frequencies(8, 1e4, {}, at::kDouble);
  const auto stretched = rotary_frequencies(8, 1e4, {.kind = RopeKind::kLinear, .factor = 4.0}, at::kDouble);
  EXPECT_TRUE(at::allclose(plain.frequency, stretched.frequency * 4.0, 1e-12, 0.0));
}

TEST(RopeScaling, KeepsFastPairsAndStretchesSlowOnes) {
  const RopeScaling llama3{.kind = RopeKind::kLlama3, .factor = 8.0, .original_positions = 8192};
  const RopeScaling yarn{.kind = RopeKind::kYarn, .factor = 8.0, .original_positions = 8192};
  const at::Tensor plain = rotary_frequencies(64, 1e6, {}, at::kDouble).frequency;
  for (const RopeScaling& scaling : {llama3, yarn}) {
    const at::Tensor ratio = plain / rotary_frequencies(64, 1e6, scaling, at::kDouble).frequency;
    EXPECT_NEAR(ratio[0].item<double>(), 1.0, 1e-12);
    EXPECT_NEAR(ratio[31].item<double>(), 8.0, 1e-12);
    EXPECT_TRUE(ratio.diff().ge(-1e-12).all().item<bool>());
  }
}

TEST(RopeScaling, MakesCosAndSinOfYarnGrow) {
  const RopeScaling yarn{.kind = RopeKind::kYarn, .factor = 2.0, .original_positions = 64, .attention_factor = 1.5};
  const RotaryTable table = rotary_table(at::arange(5), 8, 1e4, at::kDouble, yarn);
  EXPECT_TRUE(at::allclose(table.cos.square() + table.sin.square(), at::full({5, 4}, 2.25, at::kDouble)));
}

}  // namespace
}  // namespace dflash
