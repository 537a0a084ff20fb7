// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// A stretch of work on a track of a trace: a firing, or a named part of one.
struct TraceSlice {
  static constexpr std::int64_t kFiring = -1;
  std::int64_t number = 0;  // of the firing
  std::int64_t slot = 0;
  std::int64_t name = kFiring;  // else index into the stage's span names
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The firings of a stage on one clock, each followed by its parts, as a trace needs them: on the track of a slot none
/// begins before its neighbour has ended, and parts lie inside of their firing and of each other. What clocks say
/// otherwise by a little is cut. Parts of firings that are not there are left out. By slot, then by time.
std::vector<TraceSlice> trace_slices(std::vector<TraceSlice> firings, const std::vector<SpanEvent>& spans);

/// As slices without parts.
std::vector<TraceSlice> host_firings(const StageTimeline& stage);
std::vector<TraceSlice> device_firings(const StageTimeline& stage);

}  // namespace dflash
