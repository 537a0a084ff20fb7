// SPDX-License-Identifier: Apache-2.0
#include "stages/extract/extract_features.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/core/stage_runner.h"
#include "tests/stages/tiny_models.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

Taps tiny_taps(std::int64_t first_row = 0) {
  Taps taps{.pack = tiny_pack({3, 2}, first_row), .layers = {}, .final_hidden = {}};
  taps.layers = {at::arange(20, at::kFloat).view({5, 4}), at::arange(20, at::kFloat).view({5, 4}) + 100};
  return taps;
}

FeaturePack run(ExtractFeatures& extract, Taps taps) {
  StageRunner runner{extract, StageEnv{.seed = 3}};
  runner.feed(extract.in, std::move(taps));
  runner.fire();
  return runner.outputs(extract.out).at(0);
}

TEST(ExtractFeatures, JoinsTheLayersSideBySide) {
  ExtractFeatures extract;
  const FeaturePack made = run(extract, tiny_taps());
  EXPECT_TRUE(at::equal(made.features.base, at::cat(tiny_taps().layers, 1)));
  EXPECT_EQ(feature_bytes(made.features), 5 * 8 * 4);
}

TEST(ExtractFeatures, LeavesTheLayersAsTheyAreWhenSplit) {
  ExtractFeatures extract;
  extract.form.set(ExtractFeatures::Form::kSplit);
  const Taps taps = tiny_taps();
  const FeaturePack made = run(extract, taps);
  ASSERT_THAT(made.features.taps, SizeIs(2));
  EXPECT_FALSE(made.features.base.defined());
  EXPECT_EQ(made.features.taps[1].data_ptr(), taps.layers[1].data_ptr());
}

TEST(ExtractFeatures, AddsNoiseThatDependsOnTheRowAlone) {
  ExtractFeatures extract;
  extract.noise.set(0.25);
  const at::Tensor clean = at::cat(tiny_taps().layers, 1);
  const at::Tensor noise = run(extract, tiny_taps(4)).features.base - clean;
  EXPECT_LE(noise.abs().max().item<float>(), 0.25F + 1e-4F);
  EXPECT_GT(noise.abs().max().item<float>(), 0.0F);
  EXPECT_TRUE(at::equal(run(extract, tiny_taps(4)).features.base - clean, noise));
  EXPECT_TRUE(
      at::allclose((run(extract, tiny_taps(5)).features.base - clean).narrow(0, 0, 2), noise.narrow(0, 3, 2), 0, 1e-4));
}

TEST(ExtractFeatures, ReplacesFeaturesByZerosWhenAsked) {
  ExtractFeatures extract;
  extract.zero.set(true);
  EXPECT_EQ(run(extract, tiny_taps()).features.base.abs().sum().item<float>(), 0.0F);
}

TEST(ExtractFeatures, FailsOnANanWhenGuarded) {
  ExtractFeatures extract;
  extract.nan_guard.set(true);
  EXPECT_THAT([&] { run(extract, ItemType<Taps>::poisoned(tiny_taps(9))); },
              ThrowsMessage<UserError>(HasSubstr("begins with row 9 is not finite")));
}

}  // namespace
}  // namespace dflash
