// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"

namespace dflash {

/// `whatif RUN [--speedup STAGE=1.5] [--capacity EDGE=8] [--replicas STAGE=2]`: how long a recorded run would have
/// taken, and what would limit it then.
[[nodiscard]] Command whatif_command();

}  // namespace dflash
