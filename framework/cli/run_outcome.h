// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <string>

#include "framework/core/graph.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

inline constexpr int kInterrupted = 130;

/// The family of a run's error as its outcome.
[[nodiscard]] Outcome outcome_of(const std::exception& error);

/// What `work` throws becomes an error of the record; a run's first error stays its outcome.
void attempt(RunRecord& record, const std::function<void()>& work);

/// By stage: what was planted into it.
[[nodiscard]] std::map<std::string, std::string> planted_texts(const Graph& graph);

/// Which stages were told to emit NaN, for a run that failed: that may be why. Empty where none was.
[[nodiscard]] std::string planted_nan_note(const Graph& graph);

}  // namespace dflash
