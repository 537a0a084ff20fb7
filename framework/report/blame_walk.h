// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/telemetry/run_record.h"

namespace dflash {

/// What waiting ends at when it is followed along its causes.
struct WaitCause {
  enum class Kind { kStage, kSource, kLane };
  Kind kind = Kind::kStage;
  std::string name;  // of the stage or the lane
  double ns = 0.0;
  double share = 0.0;  // of all waiting
};

struct Blame {
  double waiting_ns = 0.0;        // starved, blocked and dispatch time of all stages but buffers
  std::vector<WaitCause> causes;  // largest first; their shares sum to 1 where anything waited
};

/// Moves every waiting nanosecond along its cause: starved to the producer of that edge, blocked to its consumer,
/// dispatch to the lane. A stage that was itself waiting passes it on in the proportion of its own waits, never back
/// over the edge by which it came (an edge that blocks one end cannot starve the other). A stage with idle time does
/// not limit what waits for it, so its busy time counts with the cube of its utilisation. What a stage
/// made that nobody took before the run ended is work ahead, which passes on like waiting for room, to those who had
/// not taken it. What a stage waits for
/// its own work on a device that has not begun there goes to those that make its inputs there. Buffers pass everything
/// through.
Blame walk_blame(const RunRecord& record);

/// Busy and device time over the time in which the stage could have fired, 0 to 1.
double utilisation(const StageRecord& stage, std::int64_t wall_ns);

/// By stage: true where it is fed only by edges that dropped what it could not take, or by such stages. It cannot hold
/// up the others then, however slow it is.
std::vector<bool> stages_behind_drops(const RunRecord& record);

/// True for a Buffer stage.
bool is_buffer(const RunRecord& record, std::size_t stage);

}  // namespace dflash
