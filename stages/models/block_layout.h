// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/anchor_sampling.h"

namespace dflash {

/// Everything about the blocks of a pack that the drafter needs: which tokens its rows hold, where they stand, what
/// they see and what they must predict. Blocks stand in ascending order of their anchors, dead slots behind them. Row b
/// * block_size + i is slot i of block b. Token coordinates are those of the pack.
///
/// A block sees the context keys [context_begin[b], anchors[b]) (full layers), which is empty for a dead slot, and its
/// own rows.
struct BlockLayout {
  std::int64_t length = 0;      // tokens of the pack, padding included
  std::int64_t num_blocks = 0;  // slots, dead ones included
  std::int64_t block_size = 0;

  std::vector<std::int64_t> anchors;           // [blocks], 0 for a dead slot; on the host
  std::vector<std::int64_t> context_begin;     // [blocks], first token of the anchor's document; on the host
  std::vector<std::int64_t> supervised_begin;  // [blocks + 1], first supervised row of each block; on the host
  std::int64_t num_kept = 0;                   // live blocks

  at::Tensor context_positions;  // [length] int64, restart at each document, 0 in padding
  at::Tensor block_ids;          // [blocks * block_size] int64: anchor token, then mask tokens
  at::Tensor block_positions;    // [blocks * block_size] int64: position of the anchor + slot
  at::Tensor anchor_index;       // [blocks] int64, as `anchors`
  at::Tensor document_ids;       // [length] int64, as the pack has it: who may see whom

  at::Tensor supervised_rows;    // [rows] int64, ascending: the rows that pass the head
  at::Tensor supervised_slots;   // [rows] int64, slot in the block
  at::Tensor supervised_blocks;  // [rows] int64, block
  at::Tensor supervised_tokens;  // [rows] int64, place of the label in the pack
  at::Tensor labels;             // [rows] int64, the token at that place

  at::Tensor
      dense_full;  // [blocks * block_size, length + blocks * block_size] bool; undefined unless `pack.mask` is dense
  at::Tensor dense_sliding;  // the same for sliding layers

  std::int64_t num_rows() const { return num_blocks * block_size; }
  std::int64_t num_supervised() const { return supervised_begin.back(); }
};

/// Tokens of a pack as the layout reads them.
struct PackTokens {
  std::span<const std::int64_t> ids;        // [length]
  std::span<const std::uint8_t> loss_mask;  // [length], 1 where a token is supervised
  const std::vector<PackDocument>& documents;
  at::Tensor document_ids;  // [length] int64, the document of each token, -1 in padding; on any device
};

/// Shape of the blocks.
struct BlockShape {
  std::int64_t num_blocks = 0;  // slots; the anchors beyond those given are dead
  std::int64_t block_size = 0;
  std::int64_t mask_token_id = 0;
};

/// Lays blocks out behind `anchors`, which may come in any order. Slot i of the block at `a` must predict the token at
/// a + i, if i >= 1, that place is still in the anchor's document, and the token is supervised. Runs on the host.
BlockLayout lay_out_blocks(const PackTokens& tokens, std::vector<std::int64_t> anchors, const BlockShape& shape);

/// Returns `layout` with its tensors on `device`.
BlockLayout to_device(const BlockLayout& layout, at::Device device);

}  // namespace dflash
