// SPDX-License-Identifier: Apache-2.0
#include "framework/core/json_syntax.h"

#include <algorithm>
#include <limits>

#include "framework/core/json_cursor.h"

namespace dflash {
namespace {

[[noreturn]] void throw_another_kind(const Json& value, const char* allowed) {
  throw Json::type_error::create(302, fmt::format("found {}, allowed: {}", shown_value(value), allowed), &value);
}

}  // namespace

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

std::optional<SyntaxMistake> overlooked_mistake(std::string_view text) {
  JsonCursor cursor{text};
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    cursor.move_to(zero);
    return SyntaxMistake{.line = cursor.line(), .column = cursor.column(), .what = "not JSON: a zero byte"};
  }
  std::size_t depth = 0;
  for (cursor.skip_blanks(); !cursor.at_end(); cursor.skip_blanks()) {
    const char token = cursor.peek();
    if ((token == '[' || token == '{') && ++depth > kDeepestJson) {
      return SyntaxMistake{.line = cursor.line(),
                           .column = cursor.column(),
                           .what = fmt::format("nested deeper than {} levels", kDeepestJson)};
    }
    depth -= token == ']' || token == '}' ? 1 : 0;
    cursor.skip_token();
  }
  return std::nullopt;
}

Json parse_json(std::string_view text, const std::string& source, bool comments) {
  Json parsed;
  try {
    parsed = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/true, comments);
  } catch (const Json::exception& error) {
    const SyntaxMistake mistake = syntax_mistake(text, error);
    throw UserError(fmt::format("{}:{}:{}: not JSON: {}", source, mistake.line, mistake.column, mistake.what));
  }
  if (const auto mistake = overlooked_mistake(text)) {
    throw UserError(fmt::format("{}:{}:{}: {}", source, mistake->line, mistake->column, mistake->what));
  }
  return parsed;
}

Json parse_or_discard(std::string_view text) {
  Json parsed = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() || overlooked_mistake(text) ? Json(Json::value_t::discarded) : parsed;
}

std::string text_of(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::int64_t whole_number(const Json& value) {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest;
  if (!value.is_number_integer() || too_large) {
    throw_another_kind(value, "a whole number");
  }
  return value.get<std::int64_t>();
}

std::vector<std::int64_t> whole_numbers(const Json& list) {
  if (!list.is_array()) {
    throw_another_kind(list, "a list of whole numbers");
  }
  std::vector<std::int64_t> numbers;
  std::ranges::transform(list, std::back_inserter(numbers), whole_number);
  return numbers;
}

}  // namespace dflash
