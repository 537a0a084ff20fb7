// SPDX-License-Identifier: Apache-2.0
#include "stages/pack/block_packer.h"

#include <gmock/gmock.h>

#include "framework/core/stage_runner.h"
#include "tests/stages/tiny_models.h"

namespace dflash {
namespace {

using testing::SizeIs;

FeaturePack features_of(TokenPack pack) {
  const std::int64_t rows = pack.rows();
  return {std::move(pack), {.taps = {}, .base = at::zeros({rows, 32})}, {}};
}

TEST(BlockPacker, LaysOutBlocksBehindDrawnAnchors) {
  const TinyModels tiny;
  BlockPacker packer;
  packer.num_anchors.set(3);
  StageRunner runner{packer, tiny.env()};
  runner.feed(packer.features, features_of(tiny_pack({8, 8})));
  runner.fire();
  const DraftBatch batch = runner.outputs(packer.batches).at(0);
  EXPECT_EQ(batch.layout.num_kept, 3);
  EXPECT_EQ(batch.layout.block_size, 4);
  EXPECT_THAT(batch.layout.anchors, SizeIs(3));
  EXPECT_FALSE(batch.layout.dense_full.defined());
}

TEST(BlockPacker, DrawsTheSameForARowInAnyPackAndAnewEachEpoch) {
  const TinyModels tiny;
  BlockPacker packer;
  packer.num_anchors.set(2);
  StageRunner runner{packer, tiny.env()};
  TokenPack next_epoch = tiny_pack({40});
  next_epoch.documents[0].epoch = 1;
  for (TokenPack pack : {tiny_pack({40}), tiny_pack({40}), next_epoch}) {
    runner.feed(packer.features, features_of(std::move(pack)));
    runner.fire();
  }
  const std::vector<DraftBatch> batches = runner.outputs(packer.batches);
  EXPECT_EQ(batches[0].layout.anchors, batches[1].layout.anchors);
  EXPECT_NE(batches[0].layout.anchors, batches[2].layout.anchors);
}

TEST(BlockPacker, GivesTheWholeMaskWhenAsked) {
  const TinyModels tiny;
  BlockPacker packer;
  packer.num_anchors.set(2);
  packer.mask.set(BlockPacker::Mask::kDense);
  StageRunner runner{packer, tiny.env()};
  runner.feed(packer.features, features_of(tiny_pack({10})));
  runner.fire();
  const DraftBatch batch = runner.outputs(packer.batches).at(0);
  EXPECT_EQ(batch.layout.dense_full.sizes(), at::IntArrayRef({8, 18}));
}

TEST(BlockPacker, CountsAPackWithoutAnAnchorAndLeavesNothing) {
  const TinyModels tiny;
  BlockPacker packer;
  StageRunner runner{packer, tiny.env()};
  runner.feed(packer.features, features_of(tiny_pack({2})));
  runner.fire();
  EXPECT_THAT(runner.outputs(packer.batches), SizeIs(0));
  EXPECT_EQ(runner.counters().at("packs_without_anchor"), 1);
}

}  // namespace
}  // namespace dflash
