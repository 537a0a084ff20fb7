// SPDX-License-Identifier: Apache-2.0
#include "stages/data/check_rows.h"

#include <algorithm>

#include "framework/core/error.h"
#include "stages/data/chat_document.h"
#include "stages/data/utf8.h"

namespace dflash {

namespace {

constexpr std::size_t kShownTokens = 120;

void check_mask_token(const Document& row, const TextCodec& codec, const std::string& place) {
  DFLASH_USER_CHECK(codec.mask_id == kNoToken || std::ranges::find(row.ids, codec.mask_id) == row.ids.end(),
                    "{}: row {} contains the mask token '{}' (id {}), which must stand in slots to be drafted alone; "
                    "choose a token that no text contains; its text: {}",
                    place, row.row_id, codec.tokenizer.bytes_of(codec.mask_id), codec.mask_id,
                    marked_text(row, codec.tokenizer));
}

void check_ids(const Document& row, const TextCodec& codec, const std::string& place) {
  const auto beyond =
      std::find_if(row.ids.begin(), row.ids.end(), [&](std::int32_t id) { return id < 0 || id >= codec.vocab_rows; });
  DFLASH_USER_CHECK(beyond == row.ids.end(), "{}: row {} has id {}, the target's embedding {} rows; its text: {}",
                    place, row.row_id, *beyond, codec.vocab_rows, marked_text(row, codec.tokenizer));
}

void check_length(const Document& row, const TextCodec& codec, const std::string& place) {
  const auto length = static_cast<std::int64_t>(row.ids.size());
  DFLASH_USER_CHECK(
      codec.max_positions == 0 || length <= codec.max_positions,
      "{}: row {} has {} tokens, the target's max_position_embeddings is {}; shorten rows with max_length", place,
      row.row_id, length, codec.max_positions);
}

}  // namespace

void check_row(const Document& row, const TextCodec& codec, const std::string& place) {
  check_ids(row, codec, place);
  check_mask_token(row, codec, place);
  check_length(row, codec, place);
}

void check_rows(std::span<const Document> rows, const TextCodec& codec, const std::string& place, RowSample sample) {
  DFLASH_USER_CHECK(!rows.empty(), "{}: there are no rows", place);
  bool supervised = false;
  bool anchored = false;
  for (const Document& row : rows) {
    check_row(row, codec, place);
    supervised = supervised || std::ranges::find(row.loss_mask, 1) != row.loss_mask.end();
    anchored = anchored || has_anchor(row.loss_mask);
  }
  if (anchored || sample == RowSample::kFirst) {
    return;
  }
  const std::string first = marked_text(rows.front(), codec.tokenizer);
  DFLASH_USER_CHECK(supervised, "{}: 0 of {} rows have a supervised token; the first: {}", place, rows.size(), first);
  DFLASH_USER_CHECK(
      anchored,
      "{}: 0 of {} rows have two supervised tokens in a row, which an anchor needs; the first, supervised tokens "
      "in »«: {}",
      place, rows.size(), first);
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
    for (const char byte : tokenizer.bytes_of(row.ids[i])) {
      bytes += byte == '\n' ? std::string_view{"\\n"} : std::string_view{&byte, 1};
    }
  }
  bytes += inside ? "«" : "";
  return replace_invalid_utf8(std::move(bytes)) + (shown < row.ids.size() ? " ..." : "");
}

}  // namespace dflash
