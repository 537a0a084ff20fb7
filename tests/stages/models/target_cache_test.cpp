// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_cache.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::ElementsAre;

TargetCache three_rows() {
  const TargetConfig config{.num_hidden_layers = 2, .num_key_value_heads = 2, .head_dim = 4};
  TargetCache cache = make_target_cache(config, 3, 5, at::TensorOptions().dtype(at::kFloat));
  cache.lengths = {1, 2, 3};
  cache.values[1].add_(at::arange(3, at::kFloat).view({3, 1, 1, 1}));
  return cache;
}

TEST(TargetCache, StartsEmptyWithRoomForEveryRow) {
  const TargetConfig config{.num_hidden_layers = 2, .num_key_value_heads = 2, .head_dim = 4};
  const TargetCache cache = make_target_cache(config, 3, 5, at::TensorOptions().dtype(at::kFloat));
  EXPECT_THAT(cache.lengths, ElementsAre(0, 0, 0));
  ASSERT_EQ(cache.keys.size(), 2U);
  EXPECT_EQ(cache.values[1].sizes(), at::IntArrayRef({3, 2, 5, 4}));
  EXPECT_EQ(cache.max_length(), 5);
  EXPECT_EQ(cache.batch(), 3);
}

TEST(TargetCache, KeepsRowsInTheOrderGiven) {
  TargetCache cache = three_rows();
  keep(cache, {2, 0});
  EXPECT_THAT(cache.lengths, ElementsAre(3, 1));
  EXPECT_TRUE(at::equal(cache.values[1].select(3, 0).select(2, 0).select(1, 0), at::tensor({2.0F, 0.0F})));
  EXPECT_THROW(keep(cache, {2}), InternalError);
}

TEST(TargetCache, CropsEachRowOnlyToWhatItHas) {
  TargetCache cache = three_rows();
  crop(cache, {0, 2, 1});
  EXPECT_THAT(cache.lengths, ElementsAre(0, 2, 1));
  EXPECT_THROW(crop(cache, {1, 2, 1}), InternalError);
  EXPECT_THROW(crop(cache, {0, -1, 1}), InternalError);
  EXPECT_THROW(crop(cache, {0, 0}), InternalError);
}

}  // namespace
}  // namespace dflash
