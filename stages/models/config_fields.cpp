// SPDX-License-Identifier: Apache-2.0
#include "stages/models/config_fields.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {

ConfigFields::ConfigFields(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
  DFLASH_USER_CHECK(json.is_object(), "{}: JSON of type {}, expected an object", place_, json.type_name());
}

const Json* ConfigFields::find(const std::string& key) const {
  const auto found = json_.find(key);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

void ConfigFields::expect(const std::string& key, const Json& found, const std::string& expected) {
  add_fault(fmt::format("{} is {}, allowed: {}", key, shown_value(found), expected));
}

std::int64_t ConfigFields::integer(const std::string& key, std::int64_t least) {
  if (find(key) == nullptr) {
    add_fault(fmt::format("{} is missing", key));
    return least;
  }
  return optional_integer(key, least).value_or(least);
}

std::optional<std::int64_t> ConfigFields::optional_integer(const std::string& key, std::int64_t least) {
  const Json* found = find(key);
  if (found == nullptr) {
    return std::nullopt;
  }
  constexpr std::int64_t kLargest = INT32_MAX;
  if (!found->is_number_integer() || *found < least || *found > kLargest) {
    expect(key, *found, fmt::format("a whole number from {} to {}", least, kLargest));
    return std::nullopt;
  }
  return found->get<std::int64_t>();
}

double ConfigFields::positive_number(const std::string& key) {
  if (find(key) == nullptr) {
    add_fault(fmt::format("{} is missing", key));
    return 1.0;
  }
  return optional_positive_number(key).value_or(1.0);
}

std::optional<double> ConfigFields::optional_positive_number(const std::string& key) {
  const Json* found = find(key);
  if (found == nullptr) {
    return std::nullopt;
  }
  if (!found->is_number() || !(found->get<double>() > 0.0)) {
    expect(key, *found, "a number above 0");
    return std::nullopt;
  }
  return found->get<double>();
}

bool ConfigFields::boolean(const std::string& key, bool fallback) {
  const Json* found = find(key);
  if (found == nullptr) {
    return fallback;
  }
  if (!found->is_boolean()) {
    expect(key, *found, "true or false");
    return fallback;
  }
  return found->get<bool>();
}

std::optional<std::string> ConfigFields::text(const std::string& key) {
  const Json* found = find(key);
  if (found == nullptr) {
    return std::nullopt;
  }
  if (!found->is_string()) {
    expect(key, *found, "a string");
    return std::nullopt;
  }
  return found->get<std::string>();
}

void ConfigFields::add_faults_of(const ConfigFields& inner) {
  for (const std::string& fault : inner.faults_) {
    add_fault(fmt::format("{}: {}", inner.place_, fault));
  }
}

void ConfigFields::finish() const { DFLASH_USER_CHECK(faults_.empty(), "{}: {}", place_, fmt::join(faults_, "; ")); }

}  // namespace dflash
