// SPDX-License-Identifier: Apache-2.0
#include "stages/target/taps.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/stages/any_tensors.h"

namespace dflash {
namespace {

Taps any_taps() {
  Taps taps{.pack = any_pack(), .layers = {}, .final_hidden = {}};
  const at::ScalarType type = any_float_type();
  const std::int64_t hidden = up_to(4);
  for (std::int64_t i = up_to(3); i > 0; --i) {
    taps.layers.push_back(any_tensor({taps.pack.rows(), hidden}, type));
  }
  if (up_to(1) == 1) {
    taps.final_hidden = any_tensor({taps.pack.rows(), hidden}, type);
  }
  return taps;
}

TEST(TapsBytes, KeepTheLayersTypeAndThatTheLastIsMissing) {
  Taps taps;
  taps.pack.ids = taps.pack.positions = taps.pack.document_ids = at::empty({0}, at::kLong);
  taps.layers = {at::empty({0, 4}, at::kBFloat16)};
  const Taps read = ItemType<Taps>::deserialize(ItemType<Taps>::serialize(taps), "cpu");
  ASSERT_EQ(read.layers.size(), 1U);
  EXPECT_EQ(read.layers[0].scalar_type(), at::kBFloat16);
  EXPECT_EQ(read.layers[0].sizes(), (std::vector<std::int64_t>{0, 4}));
  EXPECT_FALSE(read.final_hidden.defined());
}

RC_GTEST_PROP(TapsBytes, ComeBackOfAnyTaps, ()) {
  const Taps taps = any_taps();
  const Taps read = comes_back(taps);
  RC_ASSERT(read.layers.size() == taps.layers.size());
  RC_ASSERT(read.final_hidden.defined() == taps.final_hidden.defined());
}

RC_GTEST_PROP(TapsBytes, AreReadOrRefusedWhateverChanges, ()) {
  is_read_or_refused<Taps>(ItemType<Taps>::serialize(any_taps()));
}

}  // namespace
}  // namespace dflash
