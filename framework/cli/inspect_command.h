// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/cli/application.h"

namespace dflash {

/// `inspect TYPE`: what a stage type does, its ports and its parameters. Returns exit code 0; throws UserError with the
/// nearest name where the type is unknown.
int inspect_command(const Application& application, const std::string& type, bool json);

}  // namespace dflash
