// SPDX-License-Identifier: Apache-2.0
#include "stages/data/python_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace dflash {

namespace {

constexpr double kLargest = 1e15;

void append(const Json& value, std::string& text);

void append_object(const Json& value, std::string& text) {
  text += '{';
  std::string_view separator;
  for (const auto& [key, member] : value.items()) {
    text += separator;
    text += Json(key).dump() + ": ";
    append(member, text);
    separator = ", ";
  }
  text += '}';
}

void append_array(const Json& value, std::string& text) {
  text += '[';
  std::string_view separator;
  for (const Json& element : value) {
    text += separator;
    append(element, text);
    separator = ", ";
  }
  text += ']';
}

void append(const Json& value, std::string& text) {
  if (value.is_object()) {
    append_object(value, text);
  } else if (value.is_array()) {
    append_array(value, text);
  } else {
    DFLASH_USER_CHECK(
        !value.is_number_float() || std::abs(value.get<double>()) < kLargest,
        "number {} in a tool call is not supported; allowed: whole numbers of 64 bits, and others up to 1e15",
        value.dump());
    text += value.dump();
  }
}

}  // namespace

std::string python_json(const Json& value) {
  std::string text;
  append(value, text);
  return text;
}

}  // namespace dflash
