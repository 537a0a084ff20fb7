// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/report/run_report.h"

namespace dflash {

inline constexpr const char* kReportSchema = "dflash-report/1";

/// report.json. Keys are documented and stable; times are numbers in seconds. `launch_s`, `gpu_queue_s` and
/// `gpu_span_s` are null where no device times were taken. Summaries of stages stand at the top level under their own
/// names; "training" is always there.
Json report_json(const RunReport& report);

}  // namespace dflash
