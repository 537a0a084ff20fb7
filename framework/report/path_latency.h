// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/telemetry/histogram.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// One place on the way of an item, and the time that it spent there on average.
struct PathPart {
  enum class Kind {
    kFiring,   // in a stage's body
    kDevice,   // on the stage's device after the body had returned
    kWaiting,  // on an edge or in a buffer, or for room on an edge
  };
  Kind kind = Kind::kFiring;
  std::string name;
  double mean_ns = 0.0;
};

/// How long items took from the begin of a source's firing to the end of a sink's.
struct PathLatency {
  std::vector<std::string> stages;  // source first
  Histogram total;
  std::vector<PathPart> parts;  // along the way
};

/// Follows what each sink took back to its source, at each stage along the input that came last, for as many firings as
/// the timeline has kept. Where a stage makes one item of many, that is the way of the last of them. A path for each
/// way on which items came, the most used first.
std::vector<PathLatency> path_latencies(const Timeline& timeline);

}  // namespace dflash
