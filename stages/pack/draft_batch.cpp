// SPDX-License-Identifier: Apache-2.0
#include "stages/pack/draft_batch.h"

#include <algorithm>

#include "stages/models/tensor_fields.h"

namespace dflash {
namespace {

void write_layout(ItemWriter& writer, const BlockLayout& layout, const TokenPack& pack) {
  writer.set("layout.length", layout.length);
  writer.set("layout.num_blocks", layout.num_blocks);
  writer.set("layout.block_size", layout.block_size);
  writer.set("layout.num_kept", layout.num_kept);
  writer.add("layout.anchors", layout.anchors);
  writer.add("layout.context_begin", layout.context_begin);
  writer.add("layout.supervised_begin", layout.supervised_begin);
  add_tensor(writer, "layout.context_positions", layout.context_positions);
  add_tensor(writer, "layout.block_ids", layout.block_ids);
  add_tensor(writer, "layout.block_positions", layout.block_positions);
  add_tensor(writer, "layout.anchor_index", layout.anchor_index);
  if (!layout.document_ids.is_same(pack.document_ids)) {
    add_tensor(writer, "layout.document_ids", layout.document_ids);
  }
  add_tensor(writer, "layout.supervised_rows", layout.supervised_rows);
  add_tensor(writer, "layout.supervised_slots", layout.supervised_slots);
  add_tensor(writer, "layout.supervised_blocks", layout.supervised_blocks);
  add_tensor(writer, "layout.supervised_tokens", layout.supervised_tokens);
  add_tensor(writer, "layout.labels", layout.labels);
  add_tensor(writer, "layout.dense_full", layout.dense_full);
  add_tensor(writer, "layout.dense_sliding", layout.dense_sliding);
}

/// What the host reads by index must lie inside.
void check_lists(const ItemReader& reader, const BlockLayout& layout) {
  const std::int64_t blocks = layout.num_blocks;
  reader.check(std::ssize(layout.anchors) == blocks && std::ssize(layout.context_begin) == blocks &&
                   std::ssize(layout.supervised_begin) == blocks + 1 && layout.supervised_begin.front() == 0,
               "its lists are not of all blocks");
  reader.check(0 <= layout.num_kept && layout.num_kept <= blocks, "it keeps more blocks than it has");
  reader.check(std::is_sorted(layout.supervised_begin.begin(), layout.supervised_begin.end()),
               "its supervised rows do not ascend");
  for (std::size_t i = 0; i < layout.anchors.size(); ++i) {
    reader.check(0 <= layout.context_begin[i] && layout.context_begin[i] <= layout.anchors[i] &&
                     layout.anchors[i] <= layout.length,
                 "an anchor lies outside the pack");
  }
}

BlockLayout read_layout(const ItemReader& reader, const TokenPack& pack, at::Device device) {
  BlockLayout layout;
  layout.length = reader.number("layout.length");
  layout.num_blocks = reader.number("layout.num_blocks");
  layout.block_size = reader.number("layout.block_size");
  layout.num_kept = reader.number("layout.num_kept");
  layout.anchors = reader.numbers("layout.anchors");
  layout.context_begin = reader.numbers("layout.context_begin");
  layout.supervised_begin = reader.numbers("layout.supervised_begin");
  reader.check(layout.length == pack.rows(), "its layout is of another pack");
  check_lists(reader, layout);
  const auto list = [&](const char* name, std::int64_t length) { return read_list(reader, name, length, device); };
  std::int64_t rows = 0;
  reader.check(layout.block_size > 0 && !__builtin_mul_overflow(layout.num_blocks, layout.block_size, &rows),
               "its blocks have no size");
  const std::int64_t supervised = layout.num_supervised();
  layout.context_positions = list("layout.context_positions", layout.length);
  layout.block_ids = list("layout.block_ids", rows);
  layout.block_positions = list("layout.block_positions", rows);
  layout.anchor_index = list("layout.anchor_index", layout.num_blocks);
  const bool has_own = reader.find("layout.document_ids") != nullptr;
  layout.document_ids = has_own ? list("layout.document_ids", layout.length) : pack.document_ids;
  layout.supervised_rows = list("layout.supervised_rows", supervised);
  layout.supervised_slots = list("layout.supervised_slots", supervised);
  layout.supervised_blocks = list("layout.supervised_blocks", supervised);
  layout.supervised_tokens = list("layout.supervised_tokens", supervised);
  layout.labels = list("layout.labels", supervised);
  layout.dense_full = read_rows_if_any(reader, "layout.dense_full", rows, device);
  layout.dense_sliding = read_rows_if_any(reader, "layout.dense_sliding", rows, device);
  return layout;
}

}  // namespace

std::string ItemType<DraftBatch>::serialize(const DraftBatch& batch) {
  ItemWriter writer{kName};
  write_pack(writer, batch.pack);
  write_features(writer, batch.features);
  add_tensor(writer, "final_hidden", batch.final_hidden);
  write_layout(writer, batch.layout, batch.pack);
  return writer.take();
}

DraftBatch ItemType<DraftBatch>::deserialize(std::string_view bytes, const std::string& device) {
  const ItemReader reader{bytes, kName};
  const at::Device at{device};
  DraftBatch batch;
  batch.pack = read_pack(reader, at);
  batch.features = read_features(reader, batch.pack.rows(), at);
  batch.final_hidden = read_rows_if_any(reader, "final_hidden", batch.pack.rows(), at);
  batch.layout = read_layout(reader, batch.pack, at);
  return batch;
}

}  // namespace dflash
