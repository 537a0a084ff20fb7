// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"
#include "framework/cli/run_plan.h"
#include "framework/core/diagnostics.h"

namespace dflash {

/// Finds what is wrong with a graph without opening a stage: devices that cannot be had, what the application resolves,
/// what the stages check. Resolves the plan's device and fills `resources`. Adds every mistake in its place. A graph
/// that has mistakes already may be checked too: what follows from them is left out. Of `env`, the caller gives what
/// the plan does not know: the run directory, the log, the request to stop.
void check_plan(const Application& application, RunPlan& plan, RunEnv env, Resources& resources,
                Diagnostics& diagnostics);

}  // namespace dflash
