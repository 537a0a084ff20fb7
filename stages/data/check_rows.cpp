// SPDX-License-Identifier: Apache-2.0
#include "stages/data/check_rows.h"

#include <algorithm>

#include "framework/core/error.h"
#include "stages/data/chat_rows.h"
#include "stages/data/utf8.h"

namespace dflash {

namespace {

constexpr std::size_t kShownTokens = 120;

void check_mask_token(const TextCodec& codec, const std::string& place) {
  DFLASH_USER_CHECK(codec.mask_id != kNoToken,
                    "{}: the target names no mask token; set mask_token in its "
                    "tokenizer_config.json to a token that is neither pad nor eos",
                    place);
  DFLASH_USER_CHECK(codec.mask_id != codec.pad_id && codec.mask_id != codec.eos_id,
                    "{}: the mask token (id {}) is also the {} token; a token of its own is needed", place,
                    codec.mask_id, codec.mask_id == codec.eos_id ? "eos" : "pad");
  DFLASH_USER_CHECK(codec.mask_id < codec.vocab_rows, "{}: the mask token has id {}, the target's embedding {} rows",
                    place, codec.mask_id, codec.vocab_rows);
}

void check_ids(const Document& row, const TextCodec& codec, const std::string& place) {
  const auto beyond =
      std::find_if(row.ids.begin(), row.ids.end(), [&](std::int32_t id) { return id < 0 || id >= codec.vocab_rows; });
  DFLASH_USER_CHECK(beyond == row.ids.end(), "{}: row {} has id {}, the target's embedding {} rows; its text: {}",
                    place, row.row_id, *beyond, codec.vocab_rows, marked_text(row, codec.tokenizer));
}

}  // namespace

void check_rows(std::span<const Document> rows, const TextCodec& codec, const std::string& place, RowNeeds needs) {
  DFLASH_USER_CHECK(!rows.empty(), "{}: there are no rows", place);
  if (needs.mask_token) {
    check_mask_token(codec, place);
  }
  bool supervised = false;
  bool anchored = false;
  for (const Document& row : rows) {
    check_ids(row, codec, place);
    supervised = supervised || std::find(row.loss_mask.begin(), row.loss_mask.end(), 1) != row.loss_mask.end();
    anchored = anchored || has_anchor(row.loss_mask);
  }
  const std::string sample = anchored ? std::string{} : marked_text(rows.front(), codec.tokenizer);
  DFLASH_USER_CHECK(supervised, "{}: 0 of {} rows have a supervised token; the first: {}", place, rows.size(), sample);
  DFLASH_USER_CHECK(
      anchored,
      "{}: 0 of {} rows have two supervised tokens in a row, which an anchor needs; the first, supervised tokens "
      "in »«: {}",
      place, rows.size(), sample);
}

std::string marked_text(const Document& row, const Tokenizer& tokenizer) {
  std::string bytes;
  bool inside = false;
  const std::size_t shown = std::min(row.ids.size(), kShownTokens);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool supervised = row.loss_mask[i] == 1;
    if (supervised != inside) {
      bytes += supervised ? "»" : "«";
      inside = supervised;
    }
    bytes += tokenizer.bytes_of(row.ids[i]);
  }
  bytes += inside ? "«" : "";
  return replace_invalid_utf8(std::move(bytes)) + (shown < row.ids.size() ? " ..." : "");
}

}  // namespace dflash
