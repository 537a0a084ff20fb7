// SPDX-License-Identifier: Apache-2.0
#include "stages/models/attention_mask.h"

#include <algorithm>
#include <limits>

#include <ATen/ATen.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

struct RowRange {
  std::int64_t begin;
  std::int64_t end;
};

at::Tensor range(std::int64_t begin, std::int64_t end, const at::Tensor& like) {
  return at::arange(begin, end, like.options());
}

/// True where the slots of `blocks` see the context keys of `keys`: [blocks * block_size, keys].
at::Tensor context_visibility(const BlockLayout& layout, const VisibilityRule& rule, RowRange blocks, RowRange keys) {
  const std::int64_t count = blocks.end - blocks.begin;
  const at::Tensor key = range(keys.begin, keys.end, layout.anchor_index);
  const at::Tensor anchors = layout.anchor_index.narrow(0, blocks.begin, count);
  const at::Tensor anchor = anchors.view({count, 1, 1});
  const at::Tensor document = layout.document_ids.index_select(0, anchors).view({count, 1, 1});
  const at::Tensor same = layout.document_ids.narrow(0, keys.begin, keys.end - keys.begin) == document;
  at::Tensor visible = at::logical_and(same, key < anchor);
  if (rule.window > 0) {
    const at::Tensor slot = range(0, layout.block_size, layout.anchor_index).view({1, -1, 1});
    visible = at::logical_and(visible, key >= anchor + slot - (rule.window - 1));
  }
  return visible.expand({count, layout.block_size, -1}).reshape({count * layout.block_size, -1});
}

/// True where the slots of `count` blocks see each other: [rows, rows].
at::Tensor own_visibility(const BlockLayout& layout, const VisibilityRule& rule, std::int64_t count) {
  const at::Tensor row = range(0, count * layout.block_size, layout.anchor_index);
  const at::Tensor block = at::div(row, layout.block_size, "floor");
  const at::Tensor same = block.unsqueeze(1) == block.unsqueeze(0);
  return rule.causal ? at::logical_and(same, row.unsqueeze(0) <= row.unsqueeze(1)) : same;
}

at::Tensor slice_visibility(const BlockLayout& layout, const VisibilityRule& rule, const BlockSlice& slice,
                            const at::Tensor& dense) {
  const std::int64_t rows = (slice.block_end - slice.block_begin) * layout.block_size;
  if (!dense.defined()) {
    return at::cat(
        {context_visibility(layout, rule, {slice.block_begin, slice.block_end}, {slice.key_begin, slice.key_end}),
         own_visibility(layout, rule, slice.block_end - slice.block_begin)},
        1);
  }
  const std::int64_t first_row = slice.block_begin * layout.block_size;
  const at::Tensor mask = dense.narrow(0, first_row, rows);
  return at::cat({mask.narrow(1, slice.key_begin, slice.key_end - slice.key_begin),
                  mask.narrow(1, layout.length + first_row, rows)},
                 1);
}

/// First context key that any slot of `block` sees.
std::int64_t first_key(const BlockLayout& layout, const VisibilityRule& rule, std::int64_t block) {
  const auto b = static_cast<std::size_t>(block);
  const std::int64_t begin = layout.context_begin[b];
  return rule.window > 0 ? std::max(begin, layout.anchors[b] - (rule.window - 1)) : begin;
}

/// A slice ends where the document does, unless it is still so small that its own start would cost more than keys in
/// vain.
bool starts_slice(const BlockLayout& layout, const BlockSlice& slice, std::int64_t block, std::int64_t max_blocks) {
  const std::int64_t count = block - slice.block_begin;
  if (count >= max_blocks || block == layout.num_kept) {
    return true;
  }
  const auto b = static_cast<std::size_t>(block);
  const bool new_document = layout.context_begin[b] != layout.context_begin[b - 1];
  return new_document && count * 4 >= max_blocks;
}

}  // namespace

VisibilityRule visibility_rule(const DrafterConfig& config, LayerKind kind) {
  return kind == LayerKind::kFull ? VisibilityRule{} : VisibilityRule{config.window, config.sliding_causal};
}

at::Tensor dense_mask(const BlockLayout& layout, const VisibilityRule& rule) {
  return at::cat({context_visibility(layout, rule, {0, layout.num_blocks}, {0, layout.length}),
                  own_visibility(layout, rule, layout.num_blocks)},
                 1);
}

std::vector<BlockSlice> slice_blocks(const BlockLayout& layout, const VisibilityRule& rule, std::int64_t max_blocks,
                                     const at::Tensor& dense, at::ScalarType dtype) {
  DFLASH_CHECK(max_blocks >= 1, "slices of {} blocks", max_blocks);
  std::vector<BlockSlice> slices;
  for (std::int64_t block = 0; block < layout.num_blocks; ++block) {
    const std::int64_t first = first_key(layout, rule, block);
    const std::int64_t end = layout.anchors[static_cast<std::size_t>(block)];
    if (slices.empty() || starts_slice(layout, slices.back(), block, max_blocks)) {
      slices.push_back({block, block, first, std::max(first, end), {}});
    }
    BlockSlice& slice = slices.back();
    slice.block_end = block + 1;
    slice.key_begin = std::min(slice.key_begin, first);
    slice.key_end = std::max(slice.key_end, end);
  }
  for (auto& slice : slices) {
    const at::Tensor visible = slice_visibility(layout, rule, slice, dense);
    slice.bias = at::zeros(visible.sizes(), visible.options().dtype(dtype));
    slice.bias.masked_fill_(visible.logical_not(), -std::numeric_limits<double>::infinity());
  }
  return slices;
}

}  // namespace dflash
