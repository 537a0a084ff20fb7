// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace dflash {

/// Which form of a run's report, and where to; an empty path is standard output.
struct ReportRequest {
  std::filesystem::path run;
  std::string format = "text";  // text, html, json or trace
  std::filesystem::path output;
  bool json = false;   // report.json on one line, or what was written where
  bool quiet = false;  // nothing but errors, and the form itself where it goes to standard output
};

/// `report RUN`: makes a form of a finished run's report anew from what its directory holds. Returns exit code 0;
/// throws UserError where the run has none, the format is unknown, or a file is missing or damaged.
int report_command(const ReportRequest& request);

}  // namespace dflash
