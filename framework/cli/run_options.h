// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/cli/run_plan.h"
#include "framework/core/graph_file.h"
#include "framework/recording/replay_graph.h"

namespace CLI {
class App;
}

namespace dflash {

/// Options that several commands have, as CLI11 has them; what they say goes to the request, which must outlive the
/// command.

/// GRAPH and what changes in it.
void add_graph_options(CLI::App& command, GraphRequest& graph);
/// Of commands that know stage types: whose else.
void add_plugin_option(CLI::App& command, std::vector<std::string>& plugins);
/// Of commands that start a run.
void add_run_options(CLI::App& command, RunRequest& run);
/// STAGE, and what it is fed from.
void add_replay_options(CLI::App& command, ReplayRequest& replay);

}  // namespace dflash
