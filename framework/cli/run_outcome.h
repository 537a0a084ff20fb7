// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>

#include "framework/telemetry/run_record.h"

namespace dflash {

inline constexpr int kInterrupted = 130;

/// The family of a run's error as its outcome.
[[nodiscard]] Outcome outcome_of(const std::exception& error);

/// What `work` throws becomes an error of the record; a run's first error stays its outcome.
void attempt(RunRecord& record, const std::function<void()>& work);

}  // namespace dflash
