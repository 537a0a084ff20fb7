// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/check_command.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/cli/load_graph.h"
#include "framework/cli/plan_check.h"
#include "framework/cli/printing.h"
#include "framework/core/json_syntax.h"

namespace dflash {

int check_command(const Application& application, const GraphRequest& request, const CheckRequest& check) {
  Diagnostics diagnostics;
  LoadedGraph loaded = load_graph(request, application, diagnostics);
  RunPlan plan = loaded.plan();
  Resources resources;
  check_plan(application, plan, {}, resources, diagnostics);
  diagnostics.throw_if_any();
  std::vector<std::string> warnings = loaded.file.warnings;
  const std::vector<std::string> more = plan.hooks.warnings();
  warnings.insert(warnings.end(), more.begin(), more.end());
  for (const std::string& warning : check.strict ? warnings : std::vector<std::string>{}) {
    diagnostics.add(request.path.string(), "", warning);
  }
  diagnostics.throw_if_any();
  const std::size_t stages = plan.graph.vertices().size();
  const std::size_t edges = plan.graph.edges().size();
  if (!check.quiet) {
    for (const std::string& warning : warnings) {
      print_error("warning: {}\n", warning);
    }
  }
  if (check.json) {
    const Json result{{"ok", true},     {"file", request.path.string()}, {"name", plan.graph_name}, {"stages", stages},
                      {"edges", edges}, {"warnings", warnings}};
    print("{}\n", text_of(result));
  } else if (!check.quiet) {
    print("{}: ok, {} stages, {} edges\n", request.path.string(), stages, edges);
  }
  return 0;
}

}  // namespace dflash
