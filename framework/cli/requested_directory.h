// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/run_directory.h"
#include "framework/cli/run_plan.h"

namespace dflash {

/// Where a run is to write, as the command line says it. Throws UserError where its options contradict each other, or
/// ask for what this build has not.
[[nodiscard]] RunDirectory requested_directory(const RunPlan& plan, const RunRequest& request);

}  // namespace dflash
