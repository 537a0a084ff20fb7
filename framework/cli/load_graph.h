// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/cli/application.h"
#include "framework/core/graph.h"
#include "framework/core/graph_file.h"
#include "framework/core/json.h"
#include "framework/core/run_settings.h"

namespace dflash {

/// A graph file together with the application's hooks, whose parameter sets carry its values.
struct LoadedGraph {
  std::string name;
  Graph graph;
  std::unique_ptr<RunHooks> hooks;
  RunSettings run;
  std::vector<std::string> given_models;
  Json resolved;  // see GraphFile
  Json origins;
  std::vector<std::string> warnings;
};

/// Reads a graph with the application's catalog and sections, and checks that the devices it names can be had. Throws
/// UserError.
LoadedGraph load_graph(const GraphRequest& request, const Application& application);

}  // namespace dflash
