// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"
#include "framework/cli/run_plan.h"

namespace dflash {

/// Runs a plan from resolving to the report: resolve, open, run directory, evaluation at the start, firings with what
/// is due between steps, last checkpoint, evaluation at the end, finish, report, summary. Returns the exit code.
///
/// Throws what goes wrong before there is a run directory. From then on every ending, an exception included, writes a
/// report and becomes a code: 0 done, 1 a stage failed, 2 the user's error, 3 deadlock or stall, 130 interrupted.
int run_session(const Application& application, RunPlan& plan, const RunRequest& request);

}  // namespace dflash
