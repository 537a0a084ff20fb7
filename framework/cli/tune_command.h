// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"

namespace dflash {

/// `tune RUN [--bytes 4GiB] [--output overlay.json]`: the smallest capacities that do for a recorded run, as a table
/// and as an overlay for the next one. Changes nothing by itself.
[[nodiscard]] Command tune_command();

}  // namespace dflash
