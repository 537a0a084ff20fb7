// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/analysis/tuning.h"
#include "framework/core/json.h"

namespace dflash {

/// An overlay (RFC 7396) over the graph that the run has resolved, with the advised capacities. Arrays are replaced as
/// a whole, so it holds all edges. Throws Json::exception where it is no graph.
[[nodiscard]] Json tuning_overlay(const Tuning& tuning, const Json& graph);

/// Bounds in bytes that a resolved graph sets to its edges, and to its buffers by their parameter capacity_bytes.
/// Throws as above.
[[nodiscard]] TuningLimits limits_in(const Json& graph);

[[nodiscard]] std::string tuning_text(const Tuning& tuning);
[[nodiscard]] Json tuning_json(const Tuning& tuning);

}  // namespace dflash
