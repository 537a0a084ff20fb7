// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/telemetry/run_record.h"

namespace dflash {

/// What limits a run, as a sentence and as fields for programs.
struct Verdict {
  std::string text;
  std::string stage;   // the culprit: a stage; for kind "lane" the lane, for "capacity" the edge
  std::string kind;    // "cpu body" | "gpu span" | "launch" | "between steps" | "source" | "lane" | "capacity" |
                       // "balanced" | "none"
  double share = 0.0;  // of all waiting, 0 to 1
};

/// Judges by the blame walk and the throughput bound. "balanced" names the largest cause all the same; "none" is a run
/// in which nothing fired.
Verdict judge(const RunRecord& record);

}  // namespace dflash
