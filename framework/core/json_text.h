// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/core/diagnostics.h"
#include "framework/core/json.h"

namespace dflash {

/// What no graph needs more of; work on a document may take quadratic time in the keys of an object.
inline constexpr std::size_t kMostJsonValues = 250'000;
inline constexpr std::size_t kMostJsonKeys = 10'000;  // of one object
inline constexpr std::size_t kLargestJsonFile = 16U << 20U;

/// Where one value of a document comes from. Lines and columns count from 1, columns in characters; line 0: the source
/// has no lines (a command-line option).
struct JsonPlace {
  std::uint32_t source = 0;  // index into JsonText::sources
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// The places of a value and of all values inside it: children in the same order as those of the JSON value.
struct JsonPlaces {
  JsonPlace value;
  JsonPlace key;  // the value's own place where it has no key
  std::vector<JsonPlaces> children;
};

/// A JSON document that remembers where each of its values was written.
struct JsonText {
  Json value;
  JsonPlaces places;
  std::vector<std::string> sources;  // "graphs/train.json", "--set run.steps=40"

  /// "graphs/train.json:12:5", or the source alone where it has no lines.
  [[nodiscard]] std::string place_text(const JsonPlace& place) const;
};

/// Parses JSON with // and /* */ comments. Refuses duplicate keys (naming both places; the parse goes on), trailing
/// commas, invalid UTF-8, numbers beyond double, more than 64 levels, more than 250,000 values and more than 10,000
/// keys of one object. Where the text is no JSON, the mistake is added and nothing returned. `source` names the text in
/// messages.
std::optional<JsonText> parse_json_text(std::string_view text, const std::string& source, Diagnostics& diagnostics);

/// The same for a file of at most 16 MiB. Throws UserError, with all mistakes so far, where the file is missing, no
/// file or no JSON. `what` says what the file should be: "graph file".
JsonText read_json_file(const std::filesystem::path& path, std::string_view what, Diagnostics& diagnostics);

/// Places for a value that was not read from a text: all of it stands at `place`.
JsonPlaces places_like(const Json& value, const JsonPlace& place);

}  // namespace dflash
