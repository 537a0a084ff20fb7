// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/core/json.h"

namespace dflash {

/// Prints what a run has come to, as the last thing a user sees: aligned, at most 100 columns (the report's path, which
/// stays in one piece, may be longer). `summary`:
///
///   { "loss": {"first", "last"},
///     "before": {...}, "after": {...},        // to_json(AcceptanceReport) before and after training
///     "training_tokens_per_s": number,
///     "bottleneck": "sentence",
///     "story": "lines",                       // marked_story of one held-out answer
///     "report": "path" }
///
/// A figure that is absent or null is printed as "not measured".
std::string summary_table(const Json& summary);

}  // namespace dflash
