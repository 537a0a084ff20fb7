// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/analysis/pipeline_replay.h"
#include "tests/framework/analysis/hand_made_timeline.h"

namespace dflash {

using Times = std::vector<std::int64_t>;

inline Replayed replayed(const HandMadeTimeline& made) { return replay(model_of(made.timeline)); }

/// Of the firings of a stage, without its drain.
inline Times begins(const Replayed& run, std::size_t stage) {
  Times begins;
  for (const FiringEvent& firing : run.timeline.stages[stage].firings) {
    if (firing.number > 0) {
      begins.push_back(firing.begin);
    }
  }
  return begins;
}

}  // namespace dflash
