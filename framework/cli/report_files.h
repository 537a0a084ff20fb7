// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/cli/run_directory.h"
#include "framework/report/run_report.h"
#include "framework/report/trace_json.h"

namespace dflash {

/// Writes the files that tell of a run that has ended. What a full disk refuses becomes an error of the report, which
/// is printed at least; the file for programs comes last, so that it knows of that, too. Returns what a user should
/// know of the files, or nothing.
std::string write_reports(const RunDirectory& directory, RunReport& report);

/// What a trace does not show, in words; empty where it shows all.
std::string gaps_text(const TraceGaps& gaps);

}  // namespace dflash
