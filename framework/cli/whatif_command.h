// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"
#include "framework/core/catalog.h"

namespace dflash {

/// `whatif RUN [--speedup STAGE=1.5] [--capacity EDGE=8] [--replicas STAGE=2]`: how long a recorded run would have
/// taken, and what would limit it then. The catalog, which has to outlive the command, says which stages can have
/// replicas.
[[nodiscard]] Command whatif_command(const Catalog& catalog);

}  // namespace dflash
