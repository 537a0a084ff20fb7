// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json.h"

namespace dflash {

/// Levels of nesting that no file of a user's or of a run's needs. The parser does without recursion, but copying,
/// comparing and writing a value go down level by level, and end in a stack overflow where there are many.
inline constexpr std::size_t kDeepestJson = 64;

/// Where a text stops being JSON, and why, in words for users.
struct SyntaxMistake {
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // in characters
  std::string what;          // "unexpected end of input; expected ']'"
};

/// Takes what the parser threw on a text apart: its own words begin with its name and a number of its own.
SyntaxMistake syntax_mistake(std::string_view text, const nlohmann::detail::exception& error);

/// What the parser overlooks in a text that it took: a zero byte, which ends the text for it whatever stands behind, or
/// levels beyond kDeepestJson. Nothing where all is well.
std::optional<SyntaxMistake> overlooked_mistake(std::string_view text);

/// Parses a text, with // and /* */ comments where `comments`. Throws UserError "SOURCE:3:5: not JSON: ...", or
/// "SOURCE:3:5: nested deeper than 64 levels".
Json parse_json(std::string_view text, const std::string& source, bool comments = false);

/// Parses a text; discarded (Json::is_discarded, no object) where it is no JSON, or nested deeper than kDeepestJson.
Json parse_or_discard(std::string_view text);

/// The text of a value, on one line or indented. Bytes that are no UTF-8, as names of files may have, are replaced.
std::string text_of(const Json& value, int indent = -1);

/// What stands behind the parser's name and number in its errors.
std::string plain_words(std::string_view text);

/// A number without a fraction that fits; `get` cuts, and does what it likes with 1e300. Throws Json::exception.
std::int64_t whole_number(const Json& value);
std::vector<std::int64_t> whole_numbers(const Json& list);

/// What `read` makes of an object that a run has written, and that may have been changed since. Throws UserError
/// "'FILE' is damaged: ..." where it is no object, or its members are not those that `read` asks for.
template <class Read>
auto read_written(const Json& json, const std::string& file, const Read& read) {
  DFLASH_USER_CHECK(json.is_object(), "'{}' is damaged: it is no JSON object", file);
  try {
    return read(json);
  } catch (const Json::exception& error) {
    throw UserError(fmt::format("'{}' is damaged: {}", file, plain_words(error.what())));
  }
}

/// How a value reads in a message: itself where it is short and flat, else its kind.
template <class Value>
std::string shown_value(const Value& value) {
  constexpr std::size_t kMostItems = 16;
  constexpr std::size_t kMostBytes = 80;
  const char* kind = value.is_object() ? "an object" : "a list";
  const bool is_nested = value.is_structured() && std::any_of(value.begin(), value.end(),
                                                              [](const Value& item) { return item.is_structured(); });
  if (value.is_structured() && (is_nested || value.size() > kMostItems)) {
    return kind;
  }
  std::string text = value.dump(-1, ' ', false, Value::error_handler_t::replace);
  if (text.size() <= kMostBytes) {
    return text;
  }
  if (value.is_structured()) {
    return kind;
  }
  std::size_t end = kMostBytes;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end) + "...";
}

}  // namespace dflash
