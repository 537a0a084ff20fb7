// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "framework/cli/application.h"
#include "framework/core/graph_file.h"

namespace dflash {

/// How `graph` draws and where to; an empty path is standard output.
struct DrawingRequest {
  std::string format = "text";  // text, dot, mermaid or svg
  std::filesystem::path output;
  bool json = false;  // one JSON object instead
};

/// `graph GRAPH`: draws a graph. svg is made by Graphviz's program `dot`. Returns exit code 0; throws UserError where
/// the graph is wrong, the format is unknown, or `dot` is missing.
int graph_command(const Application& application, const GraphRequest& request, const DrawingRequest& drawing);

}  // namespace dflash
