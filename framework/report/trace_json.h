// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// Events of a trace that a browser still opens with ease.
inline constexpr std::int64_t kMostTraceEvents = 400'000;

/// What a trace does not show.
struct TraceGaps {
  std::int64_t written = 0;
  std::int64_t left_out = 0;  // older events of the timeline: the trace had become too large
  std::int64_t lost = 0;      // events that the timeline itself has no longer kept
};

/// trace.json in the Chrome JSON format, for ui.perfetto.dev: the process "stages" has a track for each slot with its
/// firings and their named parts, and one of the steps; each device a process with a track for each stage's streams;
/// counters tell the fill of edges and buffers and the memory of devices; arrows lead along items from the firing that
/// made one to that which took it. Of at most `most` events, the newest, beside the names of tracks; the gaps stand in
/// the trace's metadata, too.
TraceGaps write_trace(const Timeline& timeline, const std::string& name, std::ostream& out,
                      std::int64_t most = kMostTraceEvents);

}  // namespace dflash
