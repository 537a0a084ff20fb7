// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/block_layout.h"
#include "stages/models/draft_head.h"
#include "stages/models/slot_weights.h"

namespace dflash {

/// Supervised rows [row_begin, row_end), which are those of the blocks [block_begin, block_end).
struct HeadChunk {
  std::int64_t block_begin = 0;
  std::int64_t block_end = 0;
  std::int64_t row_begin = 0;
  std::int64_t row_end = 0;
};

/// Cuts the live blocks into chunks of at most `chunk_blocks`, leaving out those without a supervised row.
std::vector<HeadChunk> head_chunks(const BlockLayout& layout, std::int64_t chunk_blocks);

/// What the head computes of one chunk.
struct ChunkLoss {
  at::Tensor numerator;    // scalar
  at::Tensor denominator;  // scalar
  at::Tensor correct;      // [rows] bool
  at::Tensor gradient;  // [rows, hidden], of the numerator with respect to the chunk's rows; undefined unless asked for
};

/// Everything but the hidden states that the head needs; all of it frozen.
struct HeadProblem {
  HeadInput input;
  BlockLayout layout;
  HeadOptions options;
};

RowPlaces row_places(const BlockLayout& layout, const HeadChunk& chunk);

/// Computes loss and metrics of a chunk with autograd recording whatever the caller lets it record.
ChunkLoss chunk_loss(const HeadProblem& problem, const HeadChunk& chunk, const at::Tensor& rows);

/// Computes the same in place of its logits, with the gradient if `with_gradient`. Records nothing.
ChunkLoss chunk_loss_in_place(const HeadProblem& problem, const HeadChunk& chunk, const at::Tensor& rows,
                              bool with_gradient);

}  // namespace dflash
