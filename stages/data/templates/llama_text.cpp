// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/llama_text.h"

#include <fmt/format.h>

#include "stages/data/unicode_class.h"

namespace dflash {

namespace {

/// Python's `str.isspace`: Unicode's white space, and four separators of ASCII.
bool is_python_space(std::int32_t code_point) {
  return is_white_space(code_point) || (code_point >= 0x1C && code_point <= 0x1F);
}

}  // namespace

std::string llama_header(std::string_view role) {
  return fmt::format("<|start_header_id|>{}<|end_header_id|>\n\n", role);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_python_space(first_code_point(text).value)) {
    text.remove_prefix(first_code_point(text).length);
  }
  while (!text.empty() && is_python_space(last_code_point(text).value)) {
    text.remove_suffix(last_code_point(text).length);
  }
  return text;
}

}  // namespace dflash
