// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/replay_command.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/cli/load_graph.h"
#include "framework/cli/printing.h"
#include "framework/cli/run_command.h"
#include "framework/cli/run_session.h"

namespace dflash {
namespace {

/// The graph of resolved.json: only what this run was made of.
void keep_resolved(Json& resolved, const std::string& stage) {
  const Json kept = resolved.at("stages").at(stage);
  resolved["stages"] = {{stage, kept}};
  resolved["edges"] = Json::array();
  resolved["run"]["evaluate"] = false;
}

}  // namespace

int replay_command(const Application& application, const GraphRequest& graph, const ReplayRequest& replay,
                   const RunRequest& request) {
  Diagnostics diagnostics;
  LoadedGraph loaded = load_graph(graph, application, diagnostics);
  diagnostics.throw_if_any();
  const ReplayInputs inputs = keep_for_replay(loaded.file.graph, replay);
  if (!request.quiet) {
    for (const std::string& warning : inputs.warnings) {
      print_error("warning: {}\n", warning);
    }
  }
  RunPlan plan = loaded.plan();
  plan.graph_name = fmt::format("{}-{}", plan.graph_name, replay.stage);
  plan.evaluate = false;
  if (!plan.graph.find(replay.stage)->info.drives_steps) {
    plan.steps = 0;  // the recordings end it
  }
  keep_resolved(plan.resolved, replay.stage);
  std::vector<std::string> files;
  for (const std::filesystem::path& file : inputs.files) {
    files.push_back(file.string());
  }
  plan.beside["replayed"] = {{"stage", replay.stage}, {"from", files}, {"repeat", replay.rounds}};
  record_as_asked(plan, request);
  return run_session(application, plan, request);
}

}  // namespace dflash
