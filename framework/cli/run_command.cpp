// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_command.h"

#include <cstdio>

#include <fmt/format.h>

#include "framework/cli/load_graph.h"
#include "framework/cli/plan_check.h"
#include "framework/cli/printing.h"
#include "framework/cli/run_session.h"

namespace dflash {

int run_command(const Application& application, const GraphRequest& graph, const RunRequest& request) {
  Diagnostics diagnostics;
  LoadedGraph loaded = load_graph(graph, application, diagnostics);
  RunPlan plan = loaded.plan();
  if (!diagnostics.empty()) {
    Resources unused;
    check_plan(application, plan, {}, unused, diagnostics);
    diagnostics.throw_if_any();
  }
  if (!request.quiet) {
    for (const std::string& warning : loaded.file.warnings) {
      print_error("warning: {}\n", warning);
    }
  }
  return run_session(application, plan, request);
}

}  // namespace dflash
