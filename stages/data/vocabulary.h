// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dflash {

/// Tokens by id, by the text in the file ("Ġthe") and by the bytes they stand for (" the").
class Vocabulary {
 public:
  /// Adds a token of the model. Entries outside of the byte-level alphabet are kept, but no text leads to them.
  void add(std::string_view text, std::int32_t id);
  /// Adds a token that is found in the text as it stands, and whose decoded form is that of `normalized`.
  void add_added(std::string_view text, std::string_view normalized, std::int32_t id);

  [[nodiscard]] std::optional<std::int32_t> id_of_text(std::string_view text) const;
  [[nodiscard]] std::optional<std::int32_t> id_of_bytes(std::string_view bytes) const;
  /// How many of the 256 bytes have a token.
  [[nodiscard]] std::int64_t bytes_with_token() const;
  /// The id of a single byte, or -1.
  [[nodiscard]] std::int32_t id_of_byte(std::uint8_t byte) const { return byte_ids_[byte]; }
  /// The file's text of a token, or nothing where the id is not taken.
  [[nodiscard]] std::optional<std::string_view> text_of(std::int32_t id) const;
  /// The bytes of a token; empty where the id is not taken.
  [[nodiscard]] std::string_view bytes_of(std::int32_t id) const { return bytes_[static_cast<std::size_t>(id)]; }
  /// One above the greatest id.
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(texts_.size()); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Index = std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>>;

  static std::array<std::int32_t, 256> no_bytes();
  void store(std::string_view text, std::string bytes, std::int32_t id);

  std::vector<std::string> texts_;
  std::vector<std::string> bytes_;
  Index by_text_;
  Index by_bytes_;
  std::array<std::int32_t, 256> byte_ids_ = no_bytes();
};

}  // namespace dflash
