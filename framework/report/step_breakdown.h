// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// What of a stage's work fell into the time of a step: a named part of its firings, or all the rest.
struct StepPart {
  std::size_t stage = 0;   // index into Timeline::stages
  std::string span;        // empty: what is in no named part
  bool on_device = false;  // by the device's clock, else the host's
  std::vector<double> ns;  // by group of steps, mean of a step
};

/// Where the time of the steps went. A step lasts from the end of the one before it to its own; stages work at once, so
/// the parts of a step may sum to more than its wall time. Long runs are told in groups of steps.
struct StepBreakdown {
  std::vector<std::int64_t> first_step;  // of each group
  std::vector<std::int64_t> last_step;
  std::vector<double> wall_ns;  // mean of a step
  std::vector<StepPart> parts;  // in the order of the stages, a stage's spans in theirs; none that is always 0
};

/// Tells of the steps whose time is wholly kept, in at most `most` groups.
StepBreakdown step_breakdown(const Timeline& timeline, std::size_t most);

/// Those of a stage's spans that lie in no other of the same firing.
std::vector<SpanEvent> outer_spans(const std::vector<SpanEvent>& spans);

}  // namespace dflash
