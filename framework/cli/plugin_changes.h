// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

/// What has changed since an earlier run in where the stage types of a graph come from, a sentence each: another build
/// of a plugin, a plugin where it was the program. `before` and `now` are the "plugins" of the two runs, see
/// plugins_json. Throws Json::exception where they are not of that form.
std::vector<std::string> plugin_changes(const Json& before, const Json& now, const Json& graph);

}  // namespace dflash
