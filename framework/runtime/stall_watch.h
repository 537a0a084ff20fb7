// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "framework/runtime/run_network.h"
#include "framework/runtime/run_state.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// How long a firing may last; 0: for ever.
struct StallLimits {
  std::int64_t firing_ns = 0;
  std::int64_t source_after_stop_ns = 0;  // of a source, once the run was asked to stop
};

/// From any thread while the run goes on: the stage whose body has not returned for too long, and which edges are full
/// or empty meanwhile. Nothing can end such a body, so the process has to end without it. What is done between steps
/// (evaluation, checkpoint) may take as long as it takes.
[[nodiscard]] std::optional<Outcome> find_stall(RunNetwork& network, const RunState& run, const StallLimits& limits);

}  // namespace dflash
