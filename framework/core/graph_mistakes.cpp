// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_mistakes.h"

#include <charconv>
#include <optional>
#include <vector>

#include "framework/core/json_spot.h"

namespace dflash {
namespace {

std::vector<std::string> keys_of(std::string_view pointer) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      keys.emplace_back();
    } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
      keys.back() += pointer[++i] == '1' ? '/' : '~';
    } else {
      keys.back() += pointer[i];
    }
  }
  return keys;
}

std::optional<JsonSpot> child_of(const JsonSpot& spot, const std::string& key) {
  if (!spot.value().is_array()) {
    return spot.find(key);
  }
  const std::vector<JsonSpot> items = spot.items();
  std::size_t index = items.size();
  (void)std::from_chars(key.data(), key.data() + key.size(), index);
  return index < items.size() ? std::optional{items[index]} : std::nullopt;
}

}  // namespace

void GraphMistakes::add(std::string_view pointer, std::string_view message) {
  diagnostics_.add(place_of(pointer), pointer, message);
}

void GraphMistakes::add(std::string_view set_pointer, const ParamBase& param, std::string_view message) {
  add(param_pointer(set_pointer, param), message);
}

std::string GraphMistakes::place_of(std::string_view pointer) const {
  if (document_ == nullptr) {
    return "";
  }
  JsonSpot spot{*document_};
  for (const std::string& key : keys_of(pointer)) {
    const std::optional<JsonSpot> child = child_of(spot, key);
    if (!child) {
      break;
    }
    spot = *child;
  }
  return spot.place();
}

std::string param_pointer(std::string_view set_pointer, const ParamBase& param) {
  std::string pointer{set_pointer};
  pointer += '/';
  for (const char letter : param.name()) {
    pointer += letter == '.' ? '/' : letter;
  }
  return pointer;
}

}  // namespace dflash
