// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_command.h"

#include <cstdio>

#include <fmt/format.h>

#include "framework/cli/load_graph.h"
#include "framework/cli/printing.h"
#include "framework/cli/run_session.h"

namespace dflash {

int run_command(const Application& application, const GraphRequest& graph, const RunRequest& request) {
  LoadedGraph loaded = load_graph(graph, application);
  if (!request.quiet) {
    for (const std::string& warning : loaded.warnings) {
      print_error("warning: {}\n", warning);
    }
  }
  const RunSettings& settings = loaded.run;
  RunPlan plan{.graph_name = loaded.name,
               .graph = loaded.graph,
               .hooks = *loaded.hooks,
               .given_models = loaded.given_models,
               .device = application.resolve_device(settings.device),
               .precision = settings.precision,
               .seed = settings.seed,
               .steps = settings.steps,
               .evaluate = settings.evaluate,
               .checkpoint_every = settings.checkpoint_every,
               .checkpoint_policy = {.keep_last = settings.keep_last, .keep_best = settings.keep_best},
               .resolved = loaded.resolved,
               .origins = loaded.origins};
  return run_session(application, plan, request);
}

}  // namespace dflash
