// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/run_directory.h"
#include "framework/report/run_report.h"

namespace dflash {

/// Writes the files that tell of a run that has ended. What a full disk refuses becomes an error of the report, which
/// is printed at least; the file for programs comes last, so that it knows of that, too.
void write_reports(const RunDirectory& directory, RunReport& report);

}  // namespace dflash
