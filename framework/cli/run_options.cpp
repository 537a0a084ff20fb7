// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_options.h"

#include <CLI/CLI.hpp>

namespace dflash {

void add_graph_options(CLI::App& command, GraphRequest& graph) {
  command.add_option("GRAPH", graph.path, "graph file, such as graphs/train.json")->required();
  const auto repeatable = [&](const char* name, auto& values, const char* help) {
    command.add_option(name, values, help)->allow_extra_args(false);
  };
  repeatable("--set", graph.sets,
             "PATH=VALUE: STAGE.param=..., run.key=..., vars.name=..., models.section.key=...; repeatable");
  repeatable("--swap", graph.swaps, "STAGE=TYPE: another type for a stage; repeatable");
  repeatable("--overlay", graph.overlays, "FILE: a JSON file merged over the graph (RFC 7396); repeatable");
}

void add_plugin_option(CLI::App& command, std::vector<std::string>& plugins) {
  command.add_option("--plugin", plugins, "FILE: a shared library with stage types of your own; repeatable")
      ->allow_extra_args(false);
}

void add_run_options(CLI::App& command, RunRequest& run) {
  command.add_option("--run-dir", run.run_dir, "folder of the run; default: runs/NAME-TIME");
  command.add_flag("--force", run.force, "replace the run that is in --run-dir");
  command.add_option("--serve", run.serve, "[127.0.0.1:]PORT: show the run there while it goes on; 0: a free port");
  command.add_flag("--serve-anyone", run.serve_anyone, "--serve takes an ADDRESS that other machines reach");
  command.add_flag("--nvtx", run.nvtx, "name each firing to a profiler, as STAGE#NUMBER");
  command
      .add_option("--record", run.record.ports,
                  "STAGE.PORT: write the items of an output to RUN/recordings, for `replay`; repeatable")
      ->allow_extra_args(false);
  command.add_option("--record-items", run.record.most_items, "end each recording after so many items; 0: never")
      ->check(CLI::NonNegativeNumber);
}

void add_replay_options(CLI::App& command, ReplayRequest& replay) {
  command.add_option("STAGE", replay.stage, "stage of the graph")->required();
  command.add_option("--from", replay.from, "run directories that were recorded (run --record), or their files")
      ->required();
  command.add_option("--repeat", replay.rounds, "how often the recordings are played")->check(CLI::PositiveNumber);
}

}  // namespace dflash
