// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "framework/telemetry/run_record.h"

namespace dflash {

/// By stage, 0 to 1: the part of its work whose results were taken by the end of the run, by what it fed and by what
/// that fed. A stage in front of a queue that is still filling works ahead, so what it does then holds nobody up: it
/// would wait for room if the run went on. 1 for a stage that feeds nothing.
[[nodiscard]] std::vector<double> needed_shares(const RunRecord& record);

/// The part of what was sent to an edge that was not left inside at the end, 0 to 1. A single item that was left may
/// just have come, so it is no work ahead.
[[nodiscard]] double taken_share(const EdgeRecord& edge);

}  // namespace dflash
