// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "framework/report/run_report.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// What the run would gain by each of its busiest stages being twice as fast, by replay, the most first. Empty where
/// the replay of the run as it was is too far off to tell.
[[nodiscard]] std::vector<StageGain> stage_gains(const Timeline& timeline);

/// Adds the gains to a report. Where its verdict calls the run balanced, but one stage alone would speed it up, that
/// stage is the bottleneck: another may be as busy with work that piled up in a queue and was never needed.
void weigh_stages(RunReport& report);

}  // namespace dflash
