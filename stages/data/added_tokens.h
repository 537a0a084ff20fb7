// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dflash {

/// A token that is found in the text as it stands, before any pre-tokenisation. The flags mean what they do in
/// `tokenizer.json`.
struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool single_word = false;  // only where no word character touches it
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // takes the white space after it
  bool normalized = false;   // looked for in the normalised text
  bool special = false;      // left out of a decoded text on request
};

/// Finds added tokens in a text: leftmost first, the longest of those that begin at one place.
class AddedTokenMatcher {
 public:
  /// A part of the text: an added token, or (`id` < 0) text between them.
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int32_t id = -1;
  };

  explicit AddedTokenMatcher(std::vector<AddedToken> tokens);

  /// Cuts the text into parts, in order, none of them empty. Without `lstrip` and `rstrip` they cover it.
  [[nodiscard]] std::vector<Part> split(std::string_view text) const;
  [[nodiscard]] bool empty() const { return tokens_.empty(); }

 private:
  [[nodiscard]] const AddedToken* match_at(std::string_view text, std::size_t at) const;
  [[nodiscard]] const AddedToken* next_match(std::string_view text, std::size_t& at) const;

  std::vector<AddedToken> tokens_;                      // the longest first
  std::array<std::vector<std::size_t>, 256> by_first_;  // positions in `tokens_` by first byte
};

}  // namespace dflash
