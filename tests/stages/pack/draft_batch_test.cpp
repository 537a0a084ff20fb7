// SPDX-License-Identifier: Apache-2.0
#include "stages/pack/draft_batch.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "framework/core/stage_runner.h"
#include "stages/pack/block_packer.h"
#include "tests/stages/any_tensors.h"
#include "tests/stages/tiny_models.h"

namespace dflash {
namespace {

/// A batch as the packer makes it.
DraftBatch tiny_batch(BlockPacker::Mask mask, const TokenPack& pack, Features features) {
  const TinyModels models;
  BlockPacker packer;
  packer.num_anchors.set(3);
  packer.mask.set(mask);
  StageRunner runner{packer, models.env()};
  runner.feed(packer.features, FeaturePack{pack, std::move(features), {}});
  runner.fire();
  return runner.outputs(packer.batches).at(0);
}

DraftBatch tiny_batch() {
  return tiny_batch(BlockPacker::Mask::kDense, tiny_pack({6, 5}), {.taps = {}, .base = at::ones({11, 8})});
}

TEST(DraftBatchBytes, KeepTheLayout) {
  const DraftBatch batch = tiny_batch();
  const DraftBatch read = ItemType<DraftBatch>::deserialize(ItemType<DraftBatch>::serialize(batch), "cpu");
  EXPECT_EQ(read.layout.anchors, batch.layout.anchors);
  EXPECT_EQ(read.layout.context_begin, batch.layout.context_begin);
  EXPECT_EQ(read.layout.supervised_begin, batch.layout.supervised_begin);
  EXPECT_EQ(read.layout.num_kept, batch.layout.num_kept);
  EXPECT_EQ(read.layout.block_size, batch.layout.block_size);
  EXPECT_TRUE(at::equal(read.layout.block_ids, batch.layout.block_ids));
  EXPECT_TRUE(at::equal(read.layout.labels, batch.layout.labels));
  ASSERT_TRUE(read.layout.dense_full.defined());
  EXPECT_TRUE(at::equal(read.layout.dense_full, batch.layout.dense_full));
  EXPECT_TRUE(read.layout.document_ids.is_same(read.pack.document_ids));
  EXPECT_EQ(ItemType<DraftBatch>::bytes(read), ItemType<DraftBatch>::bytes(batch));
}

TEST(DraftBatchBytes, RefuseAnAnchorOutsideThePack) {
  DraftBatch batch = tiny_batch();
  batch.layout.anchors.back() = 12;
  const std::string bytes = ItemType<DraftBatch>::serialize(batch);
  EXPECT_THAT([&] { (void)ItemType<DraftBatch>::deserialize(bytes, "cpu"); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("an anchor lies outside the pack")));
}

RC_GTEST_PROP(DraftBatchBytes, ComeBackOfAnyBatch, ()) {
  const auto mask = *rc::gen::element(BlockPacker::Mask::kDense, BlockPacker::Mask::kIntervals);
  const std::int64_t first = 3 + up_to(4);
  const std::int64_t second = 3 + up_to(4);
  const TokenPack pack = tiny_pack({first, second});
  (void)comes_back(tiny_batch(mask, pack, any_features(pack.rows())));
}

RC_GTEST_PROP(DraftBatchBytes, AreReadOrRefusedWhateverChanges, ()) {
  static const std::string bytes = ItemType<DraftBatch>::serialize(tiny_batch());
  is_read_or_refused<DraftBatch>(bytes);
}

}  // namespace
}  // namespace dflash
