// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/cli/application.h"
#include "framework/core/graph_file.h"

namespace dflash {

/// What the command line says about a sweep.
struct SweepRequest {
  std::vector<std::string> vary;  // "queue.capacity=4,20,60"
  bool zip = false;               // pairs the values of all lists instead of multiplying them
  std::filesystem::path file;     // with variants and lists; empty: none
  std::int64_t rounds = 3;
  std::uint64_t seed = 1;
  std::filesystem::path run_dir;  // empty: the default
  bool resume = false;
  CommandOutput output;
  std::string program = "/proc/self/exe";
};

/// `sweep GRAPH`: checks all variants, runs each as often as there are rounds, in turns, and prints and writes what
/// came of it: sweep.json and, where one is surely best, best.json, an overlay of what was varied in it. Returns exit
/// code 0, 1 where a run failed, 130 where the user has stopped it; throws UserError before the first run.
int sweep_command(const Application& application, const GraphRequest& graph, const SweepRequest& request);

}  // namespace dflash
