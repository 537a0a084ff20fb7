// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/checkpoint_store.h"
#include "framework/cli/run_directory.h"
#include "framework/core/json.h"

namespace dflash {

/// What the run that is resumed shall come to.
struct ResumeGoal {
  std::int64_t steps = 0;         // 0: until the sources end
  bool drives_steps = true;       // a stage of the graph makes steps; without one there are never checkpoints
  Json plugins = Json::object();  // of this run, see plugins_json
};

/// Where a run that is resumed goes on.
struct ResumePoint {
  bool finished = false;                 // nothing is left to do
  bool only_the_end_is_left = false;     // all steps are done, but what follows the last was not
  std::optional<Checkpoint> checkpoint;  // none: afresh
  std::vector<std::string> notes;        // what to tell the user, a sentence each
};

/// The keys in which two graphs differ, as dotted paths ("stages.pack.params.num_anchors"), but for those that may
/// change on resume: run.steps, run.evaluate, run.checkpoint and every stage's inject.
std::vector<std::string> keys_that_forbid_resume(const Json& before, const Json& now);

/// Reads what an earlier run has left in its directory. `graph` is the resolved graph of this run. Throws UserError
/// where it differs from that run's in a key that may not change, where all checkpoints are damaged, and where the run
/// did not come to its end and can have none: to start it afresh would replace what it wrote.
ResumePoint find_resume_point(const RunDirectory& directory, const Json& graph, const ResumeGoal& goal);

}  // namespace dflash
