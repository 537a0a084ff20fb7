// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/analysis/aligned_work.h"
#include "framework/analysis/loss_difference.h"
#include "framework/analysis/run_records.h"

namespace dflash {

/// From each of a stage's firings to the next one.
struct StagePace {
  std::string stage;
  WorkSeries firings;
};

/// What a run's throughput and losses are compared by; small beside its records.
struct RunProgress {
  std::string name;  // of the run
  bool makes_steps = false;
  WorkSeries steps;
  /// Where it makes none: of the stages that take all that comes to them, in topological order.
  std::vector<StagePace> paces;
  StepLosses losses;
};

/// Throws Json::exception where its report is damaged.
RunProgress progress_of(const RunRecords& run);

/// Those runs by reference, as comparisons take them.
std::vector<const RunProgress*> pointers_to(const std::vector<RunProgress>& runs);

}  // namespace dflash
