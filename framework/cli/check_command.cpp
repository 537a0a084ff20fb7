// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/check_command.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/cli/load_graph.h"
#include "framework/cli/printing.h"

namespace dflash {

int check_command(const Application& application, const GraphRequest& request, bool quiet, bool json) {
  const LoadedGraph loaded = load_graph(request, application);
  Resources resources;
  loaded.hooks->resolve({.device = application.resolve_device(loaded.run.device),
                         .precision = loaded.run.precision,
                         .seed = loaded.run.seed,
                         .steps = loaded.run.steps,
                         .evaluate = loaded.run.evaluate,
                         .keep_best = loaded.run.keep_best,
                         .run_dir = {},
                         .log = nullptr},
                        loaded.given_models, resources);
  const std::size_t stages = loaded.graph.vertices().size();
  const std::size_t edges = loaded.graph.edges().size();
  if (!quiet) {
    for (const std::string& warning : loaded.warnings) {
      print_error("warning: {}\n", warning);
    }
  }
  if (json) {
    const Json result{{"ok", true},     {"file", request.path.string()}, {"name", loaded.name}, {"stages", stages},
                      {"edges", edges}, {"warnings", loaded.warnings}};
    print("{}\n", result.dump());
  } else if (!quiet) {
    print("{}: ok, {} stages, {} edges\n", request.path.string(), stages, edges);
  }
  return 0;
}

}  // namespace dflash
