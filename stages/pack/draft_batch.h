// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/core/item.h"
#include "stages/batch/token_pack.h"
#include "stages/extract/feature_pack.h"
#include "stages/models/block_layout.h"

namespace dflash {

/// All that one drafter step reads: a pack, the target's features of it, and the blocks behind its anchors.
struct DraftBatch {
  TokenPack pack;
  Features features;
  at::Tensor final_hidden;  // [S, hidden] after the target's final norm; undefined unless the target gave it
  BlockLayout layout;
};

/// Memory that the tensors of a layout hold, but for the document ids, which are the pack's.
inline std::int64_t block_bytes(const BlockLayout& layout) {
  const std::int64_t rows = layout.num_rows() * 2 + layout.num_blocks + layout.length + layout.num_supervised() * 5;
  const auto mask_bytes = [](const at::Tensor& mask) {
    return mask.defined() ? static_cast<std::int64_t>(mask.nbytes()) : 0;
  };
  return rows * 8 + mask_bytes(layout.dense_full) + mask_bytes(layout.dense_sliding);
}

template <>
struct ItemType<DraftBatch> {
  static constexpr std::string_view kName = "draft_batch";
  static std::int64_t bytes(const DraftBatch& batch) {
    return ItemType<TokenPack>::bytes(batch.pack) + feature_bytes(batch.features) + block_bytes(batch.layout);
  }
  static DraftBatch poisoned(const DraftBatch& batch) {
    DraftBatch made = batch;
    made.features = poisoned_features(batch.features);
    return made;
  }
  static std::string serialize(const DraftBatch& batch);
  static DraftBatch deserialize(std::string_view bytes, const std::string& device);
};

}  // namespace dflash
