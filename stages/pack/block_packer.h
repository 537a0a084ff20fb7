// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/core/stage.h"
#include "stages/extract/feature_pack.h"
#include "stages/pack/draft_batch.h"
#include "stages/session/models.h"

namespace dflash {

/// Draws anchors and lays out the blocks behind them, all on the host. The draw depends on (seed, epoch, row) alone. A
/// pack without an anchor is counted ("packs_without_anchor") and leaves nothing.
class BlockPacker final : public Stage {
 public:
  enum class Mask { kIntervals, kDense };

  static StageInfo info() {
    return {.type = "block_packer",
            .summary = "draws anchors and lays out the blocks behind them",
            .stateless = true,
            .uses_device = true};
  }

  Input<FeaturePack> features{*this, "features", "packs and the target's features"};
  Output<DraftBatch> batches{*this, "batches", "all that one drafter step reads"};

  Param<std::int64_t> num_anchors{
      *this,
      "num_anchors",
      {.value = 512, .min = 1, .max = 1 << 16, .unit = "anchors", .help = "block slots of a pack"}};
  Param<std::int64_t> anchors_per_document{*this,
                                           "anchors_per_document",
                                           {.value = 0,
                                            .min = 0,
                                            .unit = "anchors",
                                            .help = "at most so many in a document; 0: shared by supervised length"}};
  Choice<Mask> mask{*this,
                    "mask",
                    Mask::kIntervals,
                    {{"intervals", Mask::kIntervals}, {"dense", Mask::kDense}},
                    "intervals: two integers a block; dense: the whole boolean mask"};

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;

 private:
  void add_dense_masks(BlockLayout& layout) const;

  std::uint64_t seed_ = 0;
  std::string device_;
  const DrafterConfig* config_ = nullptr;
};

}  // namespace dflash
