// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"
#include "framework/report/path_latency.h"
#include "framework/report/self_checks.h"
#include "framework/report/verdict.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// What the run would gain by one stage being faster.
struct StageGain {
  std::string stage;
  double speedup = 1.0;  // of the stage
  double gain = 1.0;     // how many times as fast the run would be
};

/// Everything that the report of one run says, before it takes a form.
struct RunReport {
  std::string graph_name;
  RunRecord record;
  double total_s = 0.0;  // with loading and evaluation
  Verdict verdict;
  std::vector<SelfCheck> checks;
  std::vector<PathLatency> paths;
  std::vector<StageGain> gains;                // the most first; empty where nothing can be said
  std::map<std::string, std::string> planted;  // by stage: what was planted into it (`planted_text`)
  Json summaries = Json::object();             // sections by name, as stages set them: {"training": {...}}
  Json provenance = Json::object();
};

/// Fills verdict and self-checks in from the record.
RunReport make_run_report(std::string graph_name, RunRecord record, double total_s);

}  // namespace dflash
