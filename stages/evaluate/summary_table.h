// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/core/json.h"

namespace dflash {

/// Prints what a run has come to, before its verdict and the path of its report: aligned, at most 100 columns.
/// `summary`:
///
///   { "loss": {"first", "last"},
///     "before": {"tau"},                      // before training
///     "after": {...},                         // to_json(AcceptanceReport) after it
///     "trained": false,                       // where the run has only measured a drafter; true if absent
///     "training_tokens_per_s": number,
///     "story": "lines" }                      // marked_story of one held-out answer
///
/// A figure that is absent or null was not measured and has no line; a part without a line has no title.
std::string summary_table(const Json& summary);

}  // namespace dflash
