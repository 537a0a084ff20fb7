// SPDX-License-Identifier: Apache-2.0
#include "framework/core/json_syntax.h"

#include <algorithm>

#include "framework/core/json_cursor.h"

namespace dflash {

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing value - unexpected end
// of input; expected '['" to what follows the dash.
std::string plain_words(std::string_view text) {
  const auto drop_through = [&](std::string_view end) {
    if (const std::size_t at = text.find(end); at != std::string_view::npos) {
      text.remove_prefix(at + end.size());
    }
  };
  if (text.starts_with("[json.exception")) {
    drop_through("] ");
  }
  if (text.starts_with("parse error")) {
    drop_through(": ");
  }
  if (text.starts_with("syntax error")) {
    drop_through(" - ");
  }
  return std::string{text};
}

SyntaxMistake syntax_mistake(std::string_view text, const nlohmann::detail::exception& error) {
  const auto* parse_error = dynamic_cast<const nlohmann::detail::parse_error*>(&error);
  JsonCursor cursor{text};
  cursor.move_to(parse_error == nullptr || parse_error->byte == 0 ? 0 : parse_error->byte - 1);
  return {.line = cursor.line(), .column = cursor.column(), .what = plain_words(error.what())};
}

Json parse_json(std::string_view text, const std::string& source, bool comments) {
  try {
    return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/true, comments);
  } catch (const Json::exception& error) {
    const SyntaxMistake mistake = syntax_mistake(text, error);
    throw UserError(fmt::format("{}:{}:{}: not JSON: {}", source, mistake.line, mistake.column, mistake.what));
  }
}

}  // namespace dflash
