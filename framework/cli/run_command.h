// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"
#include "framework/cli/run_plan.h"
#include "framework/core/graph_file.h"

namespace dflash {

/// Adds the recorders that --record asks for to a plan.
void record_as_asked(RunPlan& plan, const RunRequest& request);

/// `run GRAPH`: loads the graph, checks it as `check` does and runs it. Returns the exit code; throws UserError and
/// StageError for what goes wrong before there is a run directory.
int run_command(const Application& application, const GraphRequest& graph, const RunRequest& request);

}  // namespace dflash
