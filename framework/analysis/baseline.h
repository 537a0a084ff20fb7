// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/analysis/pipeline_replay.h"

namespace dflash {

/// How far the replay of a run as it was may be from the recorded one, before what a replay says of a changed run is
/// worth nothing.
inline constexpr double kMostBaselineError = 0.1;

struct Baseline {
  Replayed run;
  double error = 0.0;  // part of the recorded time
};

[[nodiscard]] Baseline replay_baseline(const PipelineModel& model);

/// What that error means, as a sentence: it is no figure for how well a change is predicted.
[[nodiscard]] std::string baseline_text(double error);

/// Throws UserError where the replay is too far off, or stood still. `so`: what follows, as "it can advise nothing".
void require_faithful(const Baseline& baseline, const PipelineModel& model, const std::string& so);

}  // namespace dflash
