// SPDX-License-Identifier: Apache-2.0
#include "framework/core/json_spot.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "framework/core/json_syntax.h"

namespace dflash {

JsonSpot JsonSpot::child(const Json& value, std::size_t index, std::string_view key) const {
  JsonSpot spot = *this;
  spot.value_ = &value;
  spot.places_ = &places_->children.at(index);
  spot.pointer_ = pointer_to(pointer_, key);
  return spot;
}

std::optional<JsonSpot> JsonSpot::find(std::string_view key) const {
  if (!value_->is_object()) {
    return std::nullopt;
  }
  std::size_t index = 0;
  for (const auto& [name, value] : value_->get_ref<const Json::object_t&>()) {
    if (name == key) {
      return child(value, index, key);
    }
    ++index;
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, JsonSpot>> JsonSpot::members() const {
  std::vector<std::pair<std::string, JsonSpot>> found;
  if (value_->is_object()) {
    for (const auto& [name, value] : value_->get_ref<const Json::object_t&>()) {
      found.emplace_back(name, child(value, found.size(), name));
    }
  }
  return found;
}

std::vector<JsonSpot> JsonSpot::items() const {
  std::vector<JsonSpot> found;
  if (value_->is_array()) {
    for (const Json& value : *value_) {
      found.push_back(child(value, found.size(), std::to_string(found.size())));
    }
  }
  return found;
}

std::string pointer_to(std::string_view parent, std::string_view key) {
  std::string pointer{parent};
  pointer += '/';
  for (const char letter : key) {
    if (letter == '~') {
      pointer += "~0";
    } else if (letter == '/') {
      pointer += "~1";
    } else {
      pointer += letter;
    }
  }
  return pointer;
}

std::string found_text(const Json& value, std::string_view allowed) {
  return fmt::format("found {}, allowed: {}", shown_value(value), allowed);
}

bool check_object(const JsonSpot& spot, std::string_view allowed, Diagnostics& diagnostics) {
  if (!spot.value().is_object()) {
    diagnostics.add(spot.place(), spot.pointer(), found_text(spot.value(), allowed));
  }
  return spot.value().is_object();
}

void check_keys(const JsonSpot& object, const std::vector<std::string>& known, Diagnostics& diagnostics) {
  for (const auto& [key, spot] : object.members()) {
    if (std::ranges::find(known, key) == known.end()) {
      diagnostics.add_unknown(spot.key_place(), object.pointer(), "key", key, known);
    }
  }
}

std::optional<std::string> required_string(const JsonSpot& object, std::string_view key, Diagnostics& diagnostics) {
  const std::optional<JsonSpot> spot = object.find(key);
  if (!spot) {
    diagnostics.add(object.place(), object.pointer(), fmt::format("the key '{}' is missing", key));
    return std::nullopt;
  }
  if (!spot->value().is_string()) {
    diagnostics.add(spot->place(), spot->pointer(), found_text(spot->value(), "a string"));
    return std::nullopt;
  }
  return spot->value().get<std::string>();
}

std::optional<std::int64_t> positive_integer(const JsonSpot& spot, std::string_view allowed, Diagnostics& diagnostics,
                                             std::int64_t most) {
  const Json& value = spot.value();
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest;
  if (!value.is_number_integer() || too_large || value.get<std::int64_t>() < 1 || value.get<std::int64_t>() > most) {
    diagnostics.add(spot.place(), spot.pointer(), found_text(value, allowed));
    return std::nullopt;
  }
  return value.get<std::int64_t>();
}

}  // namespace dflash
