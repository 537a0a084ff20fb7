// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"
#include "framework/report/path_latency.h"
#include "framework/report/self_checks.h"
#include "framework/report/verdict.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// Everything that the report of one run says, before it takes a form.
struct RunReport {
  std::string graph_name;
  RunRecord record;
  double total_s = 0.0;  // with loading and evaluation
  Verdict verdict;
  std::vector<SelfCheck> checks;
  std::vector<PathLatency> paths;
  Json summaries = Json::object();  // sections by name, as stages set them: {"training": {...}}
  Json provenance = Json::object();
};

/// Fills verdict and self-checks in from the record.
RunReport make_run_report(std::string graph_name, RunRecord record, double total_s);

}  // namespace dflash
