// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace dflash {

/// Walks over the tokens of a JSON text beside a parser that reports none of their places. It trusts the parser to have
/// found each token well formed.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_{text} {}

  /// Moves to the next token over blanks, comments, and commas and colons too unless `stop_at_separators`.
  void skip_blanks(bool stop_at_separators = false);
  /// Moves behind the token that starts here: a string, a bracket, a number or a word.
  void skip_token();
  /// Moves to an offset in bytes; never back.
  void move_to(std::size_t offset);
  void step() { move_to(offset_ + 1); }

  [[nodiscard]] bool at_end() const { return offset_ >= text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[offset_]; }
  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] std::uint32_t column() const { return column_; }

 private:
  [[nodiscard]] bool skip_comment();

  std::string_view text_;
  std::size_t offset_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

}  // namespace dflash
