// SPDX-License-Identifier: Apache-2.0
#include "framework/report/run_report.h"

#include <utility>

namespace dflash {

RunReport make_run_report(std::string graph_name, RunRecord record, double total_s) {
  RunReport report;
  report.graph_name = std::move(graph_name);
  report.total_s = total_s;
  report.verdict = judge(record);
  report.checks = self_checks(record);
  report.paths = path_latencies(record.timeline);
  report.record = std::move(record);
  return report;
}

}  // namespace dflash
