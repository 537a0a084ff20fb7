// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace dflash {

/// A JSON value and where it stands. Every reading that finds something else throws UserError: place, what was found,
/// what is allowed. Refers to the value, which must outlive it.
class PlacedJson {
 public:
  /// `place` is written before the JSON pointer in messages.
  PlacedJson(const nlohmann::json& value, std::string place) : value_{&value}, place_{std::move(place)} {}

  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool is_array() const { return value_->is_array(); }
  [[nodiscard]] bool has(const char* key) const { return value_->is_object() && value_->contains(key); }

  /// A member of an object; null where it is missing.
  [[nodiscard]] PlacedJson operator[](const char* key) const;
  [[nodiscard]] const nlohmann::json::object_t& object() const;
  [[nodiscard]] std::vector<PlacedJson> elements() const;
  [[nodiscard]] std::string string() const;
  /// A token id: an integer from 0 to 2^24.
  [[nodiscard]] std::int32_t id() const;
  [[nodiscard]] bool boolean_or(const char* key, bool otherwise) const;

  /// Throws unless `condition` holds, saying what is allowed here.
  void require(bool condition, std::string_view allowed) const;
  /// Throws where an object has a member that is none of these.
  void refuse_others(std::initializer_list<std::string_view> known) const;
  /// Throws where a member asks for something that is not supported: is true, is a text that is not empty, is not null.
  void refuse_true(const char* key) const;
  void refuse_text(const char* key) const;
  void refuse_value(const char* key) const;

 private:
  const nlohmann::json* value_;
  std::string place_;
};

}  // namespace dflash
