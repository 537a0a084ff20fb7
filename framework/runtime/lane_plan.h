// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/graph.h"

namespace dflash {

/// Which stage lives on which lane. The first lane is the default one, "cpu", which always exists.
struct LanePlan {
  struct Lane {
    std::string name;
    std::int64_t stages = 0;
    std::int64_t workers = 0;
    bool has_own_thread = false;  // one worker, always the same thread
  };
  std::vector<Lane> lanes;
  std::vector<std::size_t> lane_of;     // by position of the vertex; then of each slot of the stages with several
  std::vector<std::size_t> first_slot;  // by position of the vertex: where its slots begin in `lane_of`
};

/// A stage with several slots counts once more for each of them. Stages go to the lane that their placement names;
/// where it names none, a stage on an accelerator gets a lane of its own ("cuda:0 target"), and all others share "cpu".
/// A stage that shares its producer's lane, and the stage that feeds its first input, get a lane of their own with one
/// worker. A lane with a stage that works on an accelerator is one thread of its own: libraries keep handles and
/// workspaces for each thread and stream. `device`: of stages whose placement names none.
[[nodiscard]] LanePlan plan_lanes(const Graph& graph, const std::vector<std::size_t>& order, const std::string& device);

}  // namespace dflash
