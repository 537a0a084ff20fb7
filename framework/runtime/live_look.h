// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/runtime/run_devices.h"
#include "framework/runtime/run_network.h"
#include "framework/runtime/run_state.h"
#include "framework/telemetry/live_view.h"

namespace dflash {

/// From any thread between the network's start and its end. Who writes what is read here: a slot's figures its runner,
/// a buffer's fill its runner, both without locks; an edge's counts its two ends, under its lock; a device's its
/// reaper.
[[nodiscard]] LiveView live_look(RunNetwork& network, RunDevices& devices, const RunState& state);

}  // namespace dflash
