// SPDX-License-Identifier: Apache-2.0
#include "framework/core/json_differences.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

void collect(const Json& before, const Json& now, const std::string& path, std::vector<JsonDifference>& found) {
  if (!before.is_object() || !now.is_object()) {
    if (before != now) {
      found.push_back({.key = path, .before = before, .now = now});
    }
    return;
  }
  std::set<std::string> names;
  for (const Json* side : {&before, &now}) {
    for (const auto& item : side->items()) {
      names.insert(item.key());
    }
  }
  for (const std::string& name : names) {
    const std::string inner = path.empty() ? name : fmt::format("{}.{}", path, name);
    if (before.contains(name) && now.contains(name)) {
      collect(before[name], now[name], inner, found);
    } else {
      found.push_back({.key = inner, .before = before.value(name, Json()), .now = now.value(name, Json())});
    }
  }
}

}  // namespace

std::vector<JsonDifference> json_differences(const Json& before, const Json& now) {
  std::vector<JsonDifference> found;
  collect(before, now, "", found);
  return found;
}

}  // namespace dflash
