// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "framework/telemetry/run_record.h"

namespace dflash {

/// By stage: true where it is fed only by edges that dropped what it could not take, or by such stages. It cannot hold
/// up the others then, however slow it is.
[[nodiscard]] std::vector<bool> stages_behind_drops(const RunRecord& record);

}  // namespace dflash
