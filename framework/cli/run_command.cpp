// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_command.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/cli/load_graph.h"
#include "framework/cli/plan_check.h"
#include "framework/cli/printing.h"
#include "framework/cli/run_session.h"
#include "framework/core/error.h"
#include "framework/core/json.h"

namespace dflash {

void record_as_asked(RunPlan& plan, const RunRequest& request) {
  DFLASH_USER_CHECK(!request.resume || request.record.ports.empty(),
                    "--record and --resume contradict each other: a recording begins with its run; allowed: --resume "
                    "alone, or a run of its own to record");
  DFLASH_USER_CHECK(request.record.most_items == 0 || !request.record.ports.empty(),
                    "--record-items needs --record: what shall be recorded?");
  const std::vector<std::string> recorded = record_ports(plan.graph, request.record);
  if (!recorded.empty()) {
    plan.beside["recorded"] = recorded;
  }
}

int run_command(const Application& application, const GraphRequest& graph, const RunRequest& request) {
  Diagnostics diagnostics;
  LoadedGraph loaded = load_graph(graph, application, diagnostics);
  RunPlan plan = loaded.plan();
  if (!diagnostics.empty()) {
    Resources unused;
    check_plan(application, plan, {}, unused, diagnostics);
    diagnostics.throw_if_any();
  }
  record_as_asked(plan, request);
  if (!request.quiet) {
    for (const std::string& warning : loaded.file.warnings) {
      print_error("warning: {}\n", warning);
    }
  }
  return run_session(application, plan, request);
}

}  // namespace dflash
