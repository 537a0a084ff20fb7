// SPDX-License-Identifier: Apache-2.0
// The precompiled header of all libraries that compute with no tensors.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dflash {

/// GCC 12 forgets to emit this constructor where a precompiled header declares it and nothing in there uses it.
inline std::string_view string_view_in_json_header() {
  std::string_view text{};
  return text;
}

}  // namespace dflash
