// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/load_graph.h"

#include <utility>

namespace dflash {

LoadedGraph load_graph(const GraphRequest& request, const Application& application) {
  std::unique_ptr<RunHooks> hooks = application.new_run();
  GraphFile file = read_graph(request, application.catalog, {hooks->model_sections(), &hooks->evaluate_params()});
  for (const Graph::Vertex& vertex : file.graph.vertices()) {
    if (!vertex.placement.device.empty()) {
      (void)application.resolve_device(vertex.placement.device);
    }
  }
  return {std::move(file.name),         std::move(file.graph),    std::move(hooks),        std::move(file.run),
          std::move(file.given_models), std::move(file.resolved), std::move(file.origins), std::move(file.warnings)};
}

}  // namespace dflash
