// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dflash {

struct CodePoint {
  std::int32_t value = 0;
  std::size_t length = 0;  // bytes in UTF-8
};

/// The first or last code point of a text that is UTF-8 and not empty.
CodePoint first_code_point(std::string_view text);
CodePoint last_code_point(std::string_view text);

/// Unicode's property White_Space.
bool is_white_space(std::int32_t code_point);

/// Letters, marks, decimal and letter numbers, connector punctuation, joiners: what `\w` is in Unicode's technical
/// standard 18, less the 78 enclosed Latin letters, which are symbols by category.
bool is_word_character(std::int32_t code_point);

}  // namespace dflash
