// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/load_graph.h"

namespace dflash {

RunPlan LoadedGraph::plan() {
  const RunSettings& settings = file.run;
  return {.graph_name = file.name,
          .graph = file.graph,
          .hooks = *hooks,
          .given_models = file.given_models,
          .device = settings.device,
          .precision = settings.precision,
          .seed = settings.seed,
          .steps = settings.steps,
          .stall_timeout_s = settings.stall_timeout_s,
          .stop_timeout_s = settings.stop_timeout_s,
          .order_seed = settings.order_seed,
          .evaluate = settings.evaluate,
          .checkpoint_every = settings.checkpoint_every,
          .checkpoint_policy = {.keep_last = settings.keep_last, .keep_best = settings.keep_best},
          .document = &file.document,
          .resolved = file.resolved,
          .origins = file.origins};
}

LoadedGraph load_graph(const GraphRequest& request, const Application& application, Diagnostics& diagnostics) {
  std::unique_ptr<RunHooks> hooks = application.new_run();
  const GraphSections sections{hooks->model_sections(), &hooks->evaluate_params()};
  GraphFile file = read_graph(request, application.catalog, sections, diagnostics);
  return {std::move(file), std::move(hooks)};
}

}  // namespace dflash
