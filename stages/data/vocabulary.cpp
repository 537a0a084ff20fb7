// SPDX-License-Identifier: Apache-2.0
#include "stages/data/vocabulary.h"

#include <algorithm>
#include <utility>

#include "stages/data/byte_level.h"

namespace dflash {

std::array<std::int32_t, 256> Vocabulary::no_bytes() {
  std::array<std::int32_t, 256> ids{};
  ids.fill(-1);
  return ids;
}

void Vocabulary::store(std::string_view text, std::string bytes, std::int32_t id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= texts_.size()) {
    texts_.resize(index + 1);
    bytes_.resize(index + 1);
  }
  texts_[index] = text;
  bytes_[index] = std::move(bytes);
  by_text_.insert_or_assign(std::string{text}, id);
}

void Vocabulary::add(std::string_view text, std::int32_t id) {
  std::optional<std::string> bytes = bytes_of_token(text);
  if (bytes && !bytes->empty()) {
    by_bytes_.insert_or_assign(*bytes, id);
    if (bytes->size() == 1) {
      byte_ids_[static_cast<std::uint8_t>(bytes->front())] = id;
    }
  }
  store(text, bytes ? std::move(*bytes) : std::string{text}, id);
}

void Vocabulary::add_added(std::string_view text, std::string_view normalized, std::int32_t id) {
  std::optional<std::string> bytes = bytes_of_token(normalized);
  store(text, bytes ? std::move(*bytes) : std::string{normalized}, id);
}

std::optional<std::int32_t> Vocabulary::id_of_text(std::string_view text) const {
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<std::int32_t> Vocabulary::id_of_bytes(std::string_view bytes) const {
  const auto found = by_bytes_.find(bytes);
  return found == by_bytes_.end() ? std::nullopt : std::optional{found->second};
}

std::int64_t Vocabulary::bytes_with_token() const {
  return std::ranges::count_if(byte_ids_, [](std::int32_t id) { return id >= 0; });
}

std::optional<std::string_view> Vocabulary::text_of(std::int32_t id) const {
  if (id < 0 || id >= size() || texts_[static_cast<std::size_t>(id)].empty()) {
    return std::nullopt;
  }
  return texts_[static_cast<std::size_t>(id)];
}

}  // namespace dflash
