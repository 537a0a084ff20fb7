// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/block_layout.h"
#include "stages/models/drafter_config.h"

namespace dflash {

/// What a layer's queries see beyond the document rule. Slot i of a block at anchor A sees the context keys
/// [max(document's begin, A + i - (window - 1)), A) and the block's own rows, those up to i where `causal`.
struct VisibilityRule {
  std::int64_t window = 0;  // tokens, the query's own included; 0: no bound
  bool causal = false;      // inside the block
};

/// Returns the rule for layers of `kind` (full layers are bidirectional in the block; SGLang's per-slot bound in
/// sliding ones).
VisibilityRule visibility_rule(const DrafterConfig& config, LayerKind kind);

/// Returns the whole mask: true where row q sees the key. Keys are the context, then all block rows.
/// [blocks * block_size, length + blocks * block_size] bool, on the layout's device.
at::Tensor dense_mask(const BlockLayout& layout, const VisibilityRule& rule);

/// Consecutive blocks that are attended to together, and the context keys that any of them sees.
struct BlockSlice {
  std::int64_t block_begin = 0;
  std::int64_t block_end = 0;
  std::int64_t key_begin = 0;
  std::int64_t key_end = 0;
  at::Tensor bias;  // [rows, keys + rows] 0 where visible, -inf elsewhere; keys are the slice's context keys, then its
                    // own rows
};

/// Cuts the blocks into slices of at most `max_blocks`, none over two documents if each has enough blocks. Reads
/// nothing from the device. The bias has type `dtype`; it comes from `dense` ([rows, keys] bool) if that is defined,
/// else from the intervals.
std::vector<BlockSlice> slice_blocks(const BlockLayout& layout, const VisibilityRule& rule, std::int64_t max_blocks,
                                     const at::Tensor& dense, at::ScalarType dtype);

}  // namespace dflash
