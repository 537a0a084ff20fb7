// SPDX-License-Identifier: Apache-2.0
#include "framework/core/json_cursor.h"

#include <algorithm>

namespace dflash {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kEndsWord = " \t\r\n,:/]}[{\"";

}  // namespace

void JsonCursor::move_to(std::size_t offset) {
  offset = std::min(offset, text_.size());
  for (; offset_ < offset; ++offset_) {
    const auto byte = static_cast<unsigned char>(text_[offset_]);
    if (byte == '\n') {
      ++line_;
      column_ = 1;
    } else if ((byte & 0xC0U) != 0x80U) {  // the first byte of a character
      ++column_;
    }
  }
}

bool JsonCursor::skip_comment() {
  const std::string_view rest = text_.substr(offset_);
  if (rest.starts_with("//")) {
    move_to(std::min(text_.find('\n', offset_), text_.size()));
    return true;
  }
  if (rest.starts_with("/*")) {
    const std::size_t end = text_.find("*/", offset_ + 2);
    move_to(end == std::string_view::npos ? text_.size() : end + 2);
    return true;
  }
  return false;
}

void JsonCursor::skip_blanks(bool stop_at_separators) {
  while (!at_end()) {
    const bool separator = peek() == ',' || peek() == ':';
    if (kBlanks.find(peek()) != std::string_view::npos || (separator && !stop_at_separators)) {
      step();
    } else if (!skip_comment()) {
      return;
    }
  }
}

void JsonCursor::skip_token() {
  if (peek() == '"') {
    std::size_t end = offset_ + 1;
    while (end < text_.size() && text_[end] != '"') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    move_to(end + 1);
  } else if (std::string_view{"[]{}"}.find(peek()) != std::string_view::npos) {
    step();
  } else {
    move_to(std::min(text_.find_first_of(kEndsWord, offset_ + 1), text_.size()));
  }
}

}  // namespace dflash
