// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/diagnostics.h"
#include "framework/core/json_text.h"

namespace dflash {

/// One value inside a document, with its JSON pointer and the place where it was written. Valid while the document is
/// not changed.
class JsonSpot {
 public:
  explicit JsonSpot(const JsonText& text) : text_{&text}, value_{&text.value}, places_{&text.places} {}

  [[nodiscard]] const Json& value() const { return *value_; }
  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] std::string place() const { return text_->place_text(places_->value); }
  [[nodiscard]] std::string key_place() const { return text_->place_text(places_->key); }

  /// A member of an object; nothing where there is none or this is no object.
  [[nodiscard]] std::optional<JsonSpot> find(std::string_view key) const;
  /// All members of an object in the order of the document; empty where this is no object.
  [[nodiscard]] std::vector<std::pair<std::string, JsonSpot>> members() const;
  /// All items of an array; empty where this is no array.
  [[nodiscard]] std::vector<JsonSpot> items() const;

 private:
  [[nodiscard]] JsonSpot child(const Json& value, std::size_t index, std::string_view key) const;

  const JsonText* text_;
  const Json* value_;
  const JsonPlaces* places_;
  std::string pointer_;
};

/// "/stages/data" and "a/b" to "/stages/data/a~1b".
std::string pointer_to(std::string_view parent, std::string_view key);

/// "found 3, allowed: ALLOWED", the found value cut where it is long.
std::string found_text(const Json& value, std::string_view allowed);

/// Whether the value is an object; adds a mistake where not.
bool check_object(const JsonSpot& spot, std::string_view allowed, Diagnostics& diagnostics);
/// Adds a mistake for every key that is none of `known`.
void check_keys(const JsonSpot& object, const std::vector<std::string>& known, Diagnostics& diagnostics);
/// A member that must be there and a string; adds a mistake and returns nothing where it is not.
std::optional<std::string> required_string(const JsonSpot& object, std::string_view key, Diagnostics& diagnostics);
/// A whole number from 1 to `most`; adds a mistake and returns nothing where it is not.
std::optional<std::int64_t> positive_integer(const JsonSpot& spot, std::string_view allowed, Diagnostics& diagnostics,
                                             std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace dflash
