// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/core/json.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

inline constexpr const char* kTimelineSchema = "dflash-timeline/2";

/// timeline.json: what programs of the next look at a run (compare, whatif, the page) read. Events are tables by
/// column, times whole nanoseconds since the run began.
Json timeline_json(const Timeline& timeline);

/// Back again. Throws UserError that names `file` where it is another schema, columns differ in length, or a stage is
/// named that is not there.
Timeline read_timeline(const Json& json, const std::string& file);

}  // namespace dflash
