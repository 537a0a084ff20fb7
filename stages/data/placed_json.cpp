// SPDX-License-Identifier: Apache-2.0
#include "stages/data/placed_json.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {

namespace {

constexpr std::int64_t kMaxId = 1 << 24;

}  // namespace

PlacedJson PlacedJson::operator[](const char* key) const {
  static const nlohmann::json null;
  require(value_->is_object(), "an object");
  const auto found = value_->find(key);
  return {found == value_->end() ? null : *found, place_ + "/" + key};
}

const nlohmann::json::object_t& PlacedJson::object() const {
  require(value_->is_object(), "an object");
  return value_->get_ref<const nlohmann::json::object_t&>();
}

std::vector<PlacedJson> PlacedJson::elements() const {
  require(value_->is_array(), "a list");
  std::vector<PlacedJson> elements;
  elements.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    elements.emplace_back((*value_)[i], place_ + "/" + std::to_string(i));
  }
  return elements;
}

std::string PlacedJson::string() const {
  require(value_->is_string(), "a string");
  return value_->get<std::string>();
}

std::int32_t PlacedJson::id() const {
  require(value_->is_number_integer() && value_->get<std::int64_t>() >= 0 && value_->get<std::int64_t>() < kMaxId,
          "an id from 0 to 16777215");
  return value_->get<std::int32_t>();
}

bool PlacedJson::boolean_or(const char* key, bool otherwise) const {
  const PlacedJson member = (*this)[key];
  if (member.is_null()) {
    return otherwise;
  }
  member.require(member.value_->is_boolean(), "true or false");
  return member.value_->get<bool>();
}

void PlacedJson::require(bool condition, std::string_view allowed) const {
  DFLASH_USER_CHECK(condition, "{}: found {}, allowed: {}", place_, shown_value(*value_), allowed);
}

void PlacedJson::refuse_others(std::initializer_list<std::string_view> known) const {
  for (const auto& [key, value] : object()) {
    DFLASH_USER_CHECK(std::ranges::find(known, key) != known.end(), "{}/{}: not known here; allowed: {}", place_, key,
                      fmt::join(known, ", "));
  }
}

void PlacedJson::refuse_true(const char* key) const {
  (*this)[key].require(!boolean_or(key, false), "false (true is not supported)");
}

void PlacedJson::refuse_text(const char* key) const {
  const PlacedJson member = (*this)[key];
  member.require(member.is_null() || member.string().empty(), "null or an empty string");
}

void PlacedJson::refuse_value(const char* key) const {
  const PlacedJson member = (*this)[key];
  member.require(member.is_null(), "null (not supported)");
}

}  // namespace dflash
