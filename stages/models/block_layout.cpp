// SPDX-License-Identifier: Apache-2.0
#include "stages/models/block_layout.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "framework/core/error.h"
#include "stages/models/device_copy.h"

namespace dflash {
namespace {

using Ints = std::vector<std::int64_t>;

at::Tensor int_tensor(const Ints& values) {
  return at::from_blob(const_cast<std::int64_t*>(values.data()), {static_cast<std::int64_t>(values.size())}, at::kLong)
      .clone();
}

/// Rows while they are gathered, block by block.
struct RowLists {
  Ints block_ids, block_positions;
  Ints rows, slots, blocks, tokens, labels;
};

const PackDocument& document_of(std::int64_t anchor, const std::vector<PackDocument>& documents) {
  for (const auto& document : documents) {
    if (anchor >= document.begin && anchor < document.begin + document.length) {
      return document;
    }
  }
  throw_internal_error("anchor in a document", fmt::format("anchor {} lies in no document", anchor));
}

void append_block(const PackTokens& tokens, std::int64_t anchor, const BlockShape& shape, RowLists& lists) {
  const PackDocument& document = document_of(anchor, tokens.documents);
  const auto block = static_cast<std::int64_t>(lists.block_ids.size()) / shape.block_size;
  for (std::int64_t slot = 0; slot < shape.block_size; ++slot) {
    const std::int64_t token = anchor + slot;
    const auto place = static_cast<std::size_t>(token);
    lists.block_ids.push_back(slot == 0 ? tokens.ids[place] : shape.mask_token_id);
    lists.block_positions.push_back(token - document.begin);
    if (slot == 0 || token >= document.begin + document.length || tokens.loss_mask[place] == 0) {
      continue;
    }
    lists.rows.push_back(block * shape.block_size + slot);
    lists.slots.push_back(slot);
    lists.blocks.push_back(block);
    lists.tokens.push_back(token);
    lists.labels.push_back(tokens.ids[place]);
  }
}

void append_dead_block(const BlockShape& shape, RowLists& lists) {
  for (std::int64_t slot = 0; slot < shape.block_size; ++slot) {
    lists.block_ids.push_back(shape.mask_token_id);
    lists.block_positions.push_back(slot);
  }
}

Ints context_positions(const PackTokens& tokens) {
  Ints positions(tokens.ids.size(), 0);
  for (const auto& document : tokens.documents) {
    for (std::int64_t t = 0; t < document.length; ++t) {
      positions[static_cast<std::size_t>(document.begin + t)] = t;
    }
  }
  return positions;
}

void store_tensors(const RowLists& lists, BlockLayout& layout) {
  layout.block_ids = int_tensor(lists.block_ids);
  layout.block_positions = int_tensor(lists.block_positions);
  layout.anchor_index = int_tensor(layout.anchors);
  layout.supervised_rows = int_tensor(lists.rows);
  layout.supervised_slots = int_tensor(lists.slots);
  layout.supervised_blocks = int_tensor(lists.blocks);
  layout.supervised_tokens = int_tensor(lists.tokens);
  layout.labels = int_tensor(lists.labels);
}

}  // namespace

BlockLayout lay_out_blocks(const PackTokens& tokens, std::vector<std::int64_t> anchors, const BlockShape& shape) {
  const auto kept = static_cast<std::int64_t>(anchors.size());
  DFLASH_CHECK(kept <= shape.num_blocks, "{} anchors do not fit {} slots", kept, shape.num_blocks);
  DFLASH_CHECK(tokens.ids.size() == tokens.loss_mask.size() &&
                   tokens.document_ids.numel() == static_cast<std::int64_t>(tokens.ids.size()),
               "{} ids, {} mask entries, {} document ids", tokens.ids.size(), tokens.loss_mask.size(),
               tokens.document_ids.numel());
  std::sort(anchors.begin(), anchors.end());
  BlockLayout layout;
  layout.length = static_cast<std::int64_t>(tokens.ids.size());
  layout.num_blocks = shape.num_blocks;
  layout.block_size = shape.block_size;
  layout.num_kept = kept;
  RowLists lists;
  for (const auto anchor : anchors) {
    layout.supervised_begin.push_back(static_cast<std::int64_t>(lists.rows.size()));
    layout.context_begin.push_back(document_of(anchor, tokens.documents).begin);
    append_block(tokens, anchor, shape, lists);
  }
  for (std::int64_t block = kept; block < shape.num_blocks; ++block) {
    append_dead_block(shape, lists);
  }
  const auto slots = static_cast<std::size_t>(shape.num_blocks);
  layout.supervised_begin.resize(slots + 1, static_cast<std::int64_t>(lists.rows.size()));
  layout.context_begin.resize(slots, 0);
  layout.anchors = std::move(anchors);
  layout.anchors.resize(slots, 0);
  layout.document_ids = tokens.document_ids;
  layout.context_positions = int_tensor(context_positions(tokens));
  store_tensors(lists, layout);
  return layout;
}

BlockLayout to_device(const BlockLayout& layout, at::Device device) {
  BlockLayout moved = layout;
  for (at::Tensor* tensor :
       {&moved.context_positions, &moved.block_ids, &moved.block_positions, &moved.anchor_index, &moved.document_ids,
        &moved.supervised_rows, &moved.supervised_slots, &moved.supervised_blocks, &moved.supervised_tokens,
        &moved.labels, &moved.dense_full, &moved.dense_sliding}) {
    if (tensor->defined()) {
      *tensor = to_device(*tensor, device);
    }
  }
  return moved;
}

}  // namespace dflash
