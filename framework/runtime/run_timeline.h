// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/runtime/lanes.h"
#include "framework/runtime/run_devices.h"
#include "framework/runtime/run_network.h"
#include "framework/runtime/run_state.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// Once nothing runs any more: what the parts of a run have kept of its events, by one clock that starts with it. Empty
/// where the run is not measured.
[[nodiscard]] Timeline run_timeline(RunNetwork& network, const Lanes& lanes, const RunState& state, RunDevices& devices,
                                    std::int64_t wall_ns);

}  // namespace dflash
