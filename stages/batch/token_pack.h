// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "framework/core/item.h"
#include "framework/core/item_fields.h"

namespace dflash {

/// Who a stretch of a pack belongs to.
struct PackedDocument {
  std::int64_t row_id = 0;
  std::int64_t epoch = 0;
  std::int64_t begin = 0;  // first row in the pack
  std::int64_t end = 0;    // one past the last
  std::string tag;
};

/// Documents laid end to end, never split. Rows after the last document are padding. The host keeps what anchors and
/// labels are computed from, so that nobody reads it back from the device.
struct TokenPack {
  std::vector<PackedDocument> documents;
  std::vector<std::int64_t> host_ids;        // [S]
  std::vector<std::uint8_t> host_loss_mask;  // [S]
  at::Tensor ids;                            // [S] int64, on the device of the run
  at::Tensor positions;                      // [S] int64, restart at 0 in each document
  at::Tensor document_ids;                   // [S] int64, -1 = padding
  std::int64_t tokens = 0;                   // without padding

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(host_ids.size()); }
};

template <>
struct ItemType<TokenPack> {
  static constexpr std::string_view kName = "token_pack";
  static std::int64_t bytes(const TokenPack& pack) { return pack.rows() * (4 * 8 + 1); }
  static std::string serialize(const TokenPack& pack);
  static TokenPack deserialize(std::string_view bytes, const std::string& device);
};

/// A pack as part of a recorded item: fields "pack....". Reading puts its tensors on `device`.
void write_pack(ItemWriter& writer, const TokenPack& pack);
TokenPack read_pack(const ItemReader& reader, at::Device device);

}  // namespace dflash
