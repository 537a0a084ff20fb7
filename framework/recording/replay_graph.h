// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/core/graph.h"

namespace dflash {

/// Which stage runs alone, and what it is fed from.
struct ReplayRequest {
  std::string stage;
  std::vector<std::filesystem::path> from;  // run directories, and files of recordings
  std::int64_t rounds = 1;                  // how often the recordings are played
};

/// What came of it.
struct ReplayInputs {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> warnings;  // of recordings that are not whole
};

/// Leaves one stage of a graph, and in place of those that fed it sources of their names that play what was recorded of
/// them; what the stage emits is dropped. Throws UserError for a stage that the graph has not, or that takes nothing,
/// for an input without a recording, with how to make one, and for recordings that are damaged or of another type.
ReplayInputs keep_for_replay(Graph& graph, const ReplayRequest& request);

}  // namespace dflash
