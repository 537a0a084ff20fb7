// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"

namespace dflash {

/// `list`: the stage types in groups, a line each; with `json` {"types": [{"type", "role", "summary"}, ...]}, and
/// "plugin", its file, where one has brought the type. Returns exit code 0.
int list_command(const Application& application, bool json);

}  // namespace dflash
