// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/report_files.h"

#include <sstream>

#include <fmt/format.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/recorded_run.h"
#include "framework/cli/run_outcome.h"
#include "framework/core/json_syntax.h"
#include "framework/report/report_json.h"
#include "framework/report/report_page.h"
#include "framework/report/report_text.h"
#include "framework/report/timeline_json.h"

namespace dflash {

std::string write_reports(const RunDirectory& directory, RunReport& report) {
  RunRecord& record = report.record;
  TraceGaps gaps;
  if (!record.timeline.stages.empty()) {  // else the run was given up while only its stages knew
    attempt(record, [&] { replace_durably(directory.timeline(), text_of(timeline_json(record.timeline)) + "\n"); });
    attempt(record, [&] {
      std::ostringstream trace;
      gaps = write_trace(record.timeline, report.graph_name, trace);
      replace_durably(directory.trace(), std::move(trace).str());
    });
  }
  attempt(record, [&] { replace_durably(directory.report_text(), report_text(report)); });
  attempt(record, [&] {
    const std::vector<Json> metrics = RecordedRun{directory.path()}.metrics();
    replace_durably(directory.report_page(), report_page(report_json(report), record.timeline, metrics));
  });
  attempt(record, [&] { replace_durably(directory.report_json(), text_of(report_json(report), 2) + "\n"); });
  return gaps_text(gaps);
}

std::string gaps_text(const TraceGaps& gaps) {
  std::string text;
  if (gaps.left_out > 0) {
    text = fmt::format("the trace has the newest {} events; {} older ones are left out", gaps.written, gaps.left_out);
  }
  if (gaps.lost > 0) {
    text += fmt::format("{}the run's timeline has no longer kept {} events", text.empty() ? "" : "; ", gaps.lost);
  }
  return text;
}

}  // namespace dflash
