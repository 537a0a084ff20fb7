// SPDX-License-Identifier: Apache-2.0
#include "stages/extract/feature_pack.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/stages/any_tensors.h"
#include "tests/stages/tiny_models.h"

namespace dflash {
namespace {

FeaturePack pack_of(Features features) { return {tiny_pack({3, 2}), std::move(features), {}}; }

FeaturePack read(const FeaturePack& pack) {
  return ItemType<FeaturePack>::deserialize(ItemType<FeaturePack>::serialize(pack), "cpu");
}

TEST(FeaturePackBytes, KeepThatTapsAreColumnsOfTheBase) {
  const at::Tensor base = at::arange(40, at::kFloat).view({5, 8});
  const FeaturePack made = read(pack_of({.taps = base.chunk(2, 1), .base = base}));
  EXPECT_TRUE(at::equal(made.features.base, base));
  ASSERT_EQ(made.features.taps.size(), 2U);
  EXPECT_TRUE(made.features.taps[1].is_alias_of(made.features.base));
  EXPECT_TRUE(at::equal(made.features.taps[1], base.narrow(1, 4, 4)));
  EXPECT_EQ(feature_bytes(made.features), 5 * 8 * 4);
}

TEST(FeaturePackBytes, KeepLooseTapsWithoutABase) {
  const at::Tensor tap = at::arange(20, at::kFloat).view({5, 4});
  const FeaturePack made = read(pack_of({.taps = {tap, tap + 1}, .base = {}}));
  EXPECT_FALSE(made.features.base.defined());
  ASSERT_EQ(made.features.taps.size(), 2U);
  EXPECT_TRUE(at::equal(made.features.taps[1], tap + 1));
}

TEST(FeaturePackBytes, KeepTapsThatOnlyLookLikeThoseOfTheBase) {
  const at::Tensor base = at::arange(40, at::kFloat).view({5, 8});
  const FeaturePack made = read(pack_of({.taps = {base.narrow(1, 4, 4), base.narrow(1, 0, 4)}, .base = base}));
  EXPECT_TRUE(at::equal(made.features.taps[0], base.narrow(1, 4, 4)));
  EXPECT_FALSE(made.features.taps[0].is_alias_of(made.features.base));
}

RC_GTEST_PROP(FeaturePackBytes, ComeBackOfAnyFeatures, ()) {
  FeaturePack pack{any_pack(), {}, {}};
  pack.features = any_features(pack.pack.rows());
  const FeaturePack made = comes_back(pack);
  RC_ASSERT(made.features.base.defined() == pack.features.base.defined());
  RC_ASSERT(made.features.taps.size() == pack.features.taps.size());
}

RC_GTEST_PROP(FeaturePackBytes, AreReadOrRefusedWhateverChanges, ()) {
  is_read_or_refused<FeaturePack>(ItemType<FeaturePack>::serialize(pack_of(any_features(5))));
}

}  // namespace
}  // namespace dflash
