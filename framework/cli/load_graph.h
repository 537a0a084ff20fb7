// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "framework/cli/application.h"
#include "framework/cli/run_plan.h"
#include "framework/core/diagnostics.h"
#include "framework/core/graph_file.h"

namespace dflash {

/// A graph file together with the application's hooks, whose parameter sets carry its values.
struct LoadedGraph {
  GraphFile file;
  std::unique_ptr<RunHooks> hooks;

  /// The graph as a run takes it; refers to this.
  [[nodiscard]] RunPlan plan();
};

/// Reads a graph with the application's catalog and sections. Adds what is wrong; throws UserError, with all that is
/// wrong so far, where there is no graph to go on with.
LoadedGraph load_graph(const GraphRequest& request, const Application& application, Diagnostics& diagnostics);

}  // namespace dflash
