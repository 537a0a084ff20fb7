// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/core/diagnostics.h"
#include "framework/core/graph.h"
#include "framework/core/json_spot.h"

namespace dflash {

/// Whether a stage or a lane may be named so: letters, digits, '_' and '-'.
[[nodiscard]] bool is_name(const std::string& name);

/// What a stage of a graph file takes from the framework but `inject`: replicas, device, lane, on_error. What is wrong
/// goes to the diagnostics and is left at its default.
[[nodiscard]] Placement read_placement(const JsonSpot& spot, Diagnostics& diagnostics);

/// The value of a stage's `inject`, which must suit what the stage emits.
[[nodiscard]] Inject read_inject(const JsonSpot& spot, const Stage& stage, Diagnostics& diagnostics);

}  // namespace dflash
