// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"
#include "framework/cli/run_plan.h"
#include "framework/core/graph_file.h"
#include "framework/recording/replay_graph.h"

namespace dflash {

/// `replay GRAPH STAGE --from RUN`: runs one stage of a graph alone, with the parameters and models that the graph
/// gives it, on what was recorded of its inputs. Evaluates nothing. Returns the exit code as `run_command` does.
int replay_command(const Application& application, const GraphRequest& graph, const ReplayRequest& replay,
                   const RunRequest& request);

}  // namespace dflash
