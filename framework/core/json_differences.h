// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

/// A place at which two values differ. What is missing is null.
struct JsonDifference {
  std::string key;  // "stages.pack.params.num_anchors"
  Json before;
  Json now;
};

/// Compares two values: objects key by key, in the order of the names, everything else as a whole. A key that one of
/// two objects has and the other has not is a difference, whatever its value.
std::vector<JsonDifference> json_differences(const Json& before, const Json& now);

}  // namespace dflash
