// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <string>

#include "framework/core/graph.h"
#include "framework/report/run_report.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// The family of a run's error as its outcome.
[[nodiscard]] Outcome outcome_of(const std::exception& error);

/// What `work` throws becomes an error of the record; a run's first error stays its outcome.
void attempt(RunRecord& record, const std::function<void()>& work);

/// For a run without an error that ended before its steps were done; empty for any other. `steps`: asked for, 0: none.
[[nodiscard]] std::string early_end_note(const RunRecord& record, std::int64_t last_step, std::int64_t steps);

/// Adds to the report what a faster stage would bring. A report is worth more than this part of it: returns a note
/// where that cannot be told.
[[nodiscard]] std::string weighed_note(RunReport& report);

/// By stage: what was planted into it.
[[nodiscard]] std::map<std::string, std::string> planted_texts(const Graph& graph);

/// Which stages were told to emit NaN, for a run that failed: that may be why. Empty where none was.
[[nodiscard]] std::string planted_nan_note(const Graph& graph);

}  // namespace dflash
