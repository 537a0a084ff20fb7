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
  /// Of all stages but buffers: for others, as below, and for a worker.
  double waiting_ns = 0.0;
  std::vector<WaitCause> causes;  // largest first; their shares sum to 1 where anything waited
};

/// Moves every waiting nanosecond along its cause: starved to the producer of that edge, blocked to its consumer,
/// dispatch to the lane. A stage that was itself waiting passes it on in the proportion of its own waits, never back
/// over the edge by which it came (an edge that blocks one end cannot starve the other). A buffer waits for both of its
/// ends by nature, so it passes on all that its own work has not caused.
///
/// A stage with idle time does not limit what waits for it, so the time that it needs counts with the cube of its load.
/// On a device a stage needs the longer of its bodies and its work there, which go on beside each other; what is left
/// is its waiting, wherever its host waited: work that queues there waits for those that make its inputs there.
///
/// What a stage made that nobody took before the run ended is work ahead, which passes on like waiting for room, to
/// those who had not taken it.
Blame walk_blame(const RunRecord& record);

}  // namespace dflash
