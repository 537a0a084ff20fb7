// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "framework/core/json_text.h"

namespace dflash {

/// Whether each value inside has one place.
inline bool all_placed(const Json& value, const JsonPlaces& places) {
  if (places.children.size() != (value.is_structured() ? value.size() : 0)) {
    return false;
  }
  auto child = places.children.begin();
  for (const Json& inner : value.is_structured() ? value : Json::array()) {
    if (!all_placed(inner, *child++)) {
      return false;
    }
  }
  return true;
}

}  // namespace dflash
