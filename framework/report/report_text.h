// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/report/run_report.h"

namespace dflash {

/// No line of the report is longer.
inline constexpr std::size_t kReportColumns = 140;

/// report.txt: one page of ASCII. Verdict first, then stages with a bar of their states, spans, edges, lanes,
/// summaries, self-checks, errors, provenance. A part that has nothing to say is left out.
std::string report_text(const RunReport& report);

/// `width` letters in the proportion of a stage's states: # busy, g device, > blocked, < starved, : dispatch, ?
/// unaccounted, blank for ended.
std::string state_bar(const StageRecord& stage, std::int64_t wall_ns, std::size_t width);

}  // namespace dflash
