// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "framework/analysis/pipeline_replay.h"
#include "framework/report/run_report.h"
#include "framework/report/verdict.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// What the run would gain by each of its busiest stages being twice as fast, by replay, the most first; without those
/// with which it would stand still. Empty where the replay of the run as it was is too far off to tell.
[[nodiscard]] std::vector<StageGain> stage_gains(const Timeline& timeline);

/// The same of a model, whose replay is `run`, which has finished.
[[nodiscard]] std::vector<StageGain> stage_gains(const PipelineModel& model, const Replayed& run);

/// What a verdict becomes by the gains: where it calls the run balanced, but one stage alone would speed it up, that
/// stage is the bottleneck. The same for a run and for what a what-if makes of it.
[[nodiscard]] Verdict weighed(Verdict verdict, const RunRecord& record, const std::vector<StageGain>& gains);

/// Adds the gains to a report, whose verdict they may decide.
void weigh_stages(RunReport& report);

}  // namespace dflash
