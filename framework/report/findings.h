// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/report/blame_walk.h"
#include "framework/report/throughput_bound.h"
#include "framework/report/verdict.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// What a verdict is made of.
struct Findings {
  const RunRecord& record;
  Blame blame;
  ThroughputBound bound;
  double most_used = 0.0;      // utilisation of the busiest stage
  double least_loaded = 1.0;   // load of the idlest
  double waiting_share = 0.0;  // of the time in which stages could fire
};

/// The record outlives the findings.
[[nodiscard]] Findings look_at(const RunRecord& record);

/// Null where there is none.
[[nodiscard]] const StageRecord* find_stage(const RunRecord& record, const std::string& name);

/// What of a stage's firings takes their time: kCpuBody, kGpuSpan or kLaunch.
[[nodiscard]] VerdictKind body_kind_of(const StageRecord& stage);
/// What takes most of a stage's time: that, or kBetweenSteps.
[[nodiscard]] VerdictKind kind_of(const StageRecord& stage);

/// ", of which 56 % between steps (evaluation, checkpoint)", of the time in which the stage is busy; empty where it is
/// little.
[[nodiscard]] std::string between_text(const StageRecord& stage);

/// The stage that limits once `culprit` is fast; null where there is none.
[[nodiscard]] const WallLimit* next_limit(const Findings& findings, const std::string& culprit);

/// Sentences, each with a blank before it; empty where there is nothing to say.
/// What the run made of what its tightest limit allows.
[[nodiscard]] std::string bound_text(const Findings& findings);
[[nodiscard]] std::string next_cause_text(const Findings& findings, const std::string& culprit);
/// What a faster `culprit` would bring.
[[nodiscard]] std::string next_limit_text(const Findings& findings, const std::string& culprit);

}  // namespace dflash
