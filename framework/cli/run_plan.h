// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/checkpoint_store.h"
#include "framework/cli/application.h"
#include "framework/core/graph.h"
#include "framework/core/json.h"
#include "framework/core/json_text.h"
#include "framework/recording/record_ports.h"

namespace dflash {

/// A graph that is ready to run, with what its "run" section says.
struct RunPlan {
  std::string graph_name;
  Graph& graph;
  RunHooks& hooks;
  std::vector<std::string> given_models;  // the sections of "models" that the graph has
  std::string device;                     // as the graph has it; never "auto" once the plan is checked
  std::string precision;
  std::uint64_t seed = 0;
  std::int64_t steps = 0;                     // 0: until the sources end
  double stall_timeout_s = 0.0;               // 0: never
  double stop_timeout_s = 0.0;                // 0: never
  std::optional<std::uint64_t> order_seed{};  // none: oneTBB's workers
  bool evaluate = true;
  std::int64_t checkpoint_every = 0;  // steps; 0: only at the end
  CheckpointPolicy checkpoint_policy;
  const JsonText* document = nullptr;  // where the graph's values were written; null: nowhere
  Json resolved = Json::object();      // the graph after overlays
  Json origins = Json::object();       // where each of its values comes from
  Json beside = Json::object();        // what else resolved.json says: what is recorded or replayed
};

/// What the command line says about a run.
struct RunRequest {
  std::filesystem::path run_dir;  // empty: the default
  bool resume = false;
  bool force = false;
  bool nvtx = false;          // names firings to a profiler
  std::string serve;          // where the live page is to be seen; empty: nowhere
  bool serve_anyone = false;  // other machines may see it, too
  bool quiet = false;         // errors only
  bool json = false;          // the last line of standard output is one JSON object
  RecordRequest record{};
  std::string command_line;
};

}  // namespace dflash
