// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

/// The line of each step in a metrics.jsonl, by reference. Lines of events are none: an evaluation has the number of
/// the step behind which it came, and tokens that nobody trained. Of a step written twice, as a resumed run may do, the
/// newest line.
std::map<std::int64_t, const Json*> step_lines(const std::vector<Json>& metrics);

}  // namespace dflash
