// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/report_files.h"

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/run_outcome.h"
#include "framework/core/json_syntax.h"
#include "framework/report/report_json.h"
#include "framework/report/report_text.h"
#include "framework/report/timeline_json.h"

namespace dflash {

void write_reports(const RunDirectory& directory, RunReport& report) {
  RunRecord& record = report.record;
  if (!record.timeline.stages.empty()) {  // else the run was given up while only its stages knew
    attempt(record, [&] { replace_durably(directory.timeline(), text_of(timeline_json(record.timeline)) + "\n"); });
  }
  attempt(record, [&] { replace_durably(directory.report_text(), report_text(report)); });
  attempt(record, [&] { replace_durably(directory.report_json(), text_of(report_json(report), 2) + "\n"); });
}

}  // namespace dflash
