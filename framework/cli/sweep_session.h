// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/analysis/sweep_plan.h"
#include "framework/analysis/sweep_result.h"
#include "framework/core/graph_file.h"
#include "framework/core/json.h"

namespace dflash {

/// A sweep whose variants are known to be sound.
struct Sweep {
  std::string program;                 // the file that runs a graph
  std::string name;                    // what it is called
  GraphRequest graph;                  // what all variants share
  std::vector<std::string> plugins{};  // whose stage types they may name
  std::vector<SweepVariant> variants;
  std::vector<Json> resolved;  // the graph of each
  std::filesystem::path directory;
  std::int64_t rounds = 3;
  std::uint64_t seed = 1;
  bool resume = false;
  bool quiet = false;
  bool json = false;  // standard output is for one object
};

/// What a variant changes in the graph together with what all share.
GraphRequest request_of(const GraphRequest& shared, const SweepVariant& variant);

/// Runs all variants once a round, each run a process of its own in a directory of its own, one at a time. A run that
/// fails leaves its code and text. Ends early where the user asks the program to stop, and then knows no best; writes
/// sweep.json after each run. With `resume`, runs that came to their end are not run again; throws UserError, before
/// anything is written, where one was of another graph, or the sweep another one.
SweepResult run_sweep(const Sweep& sweep);

}  // namespace dflash
