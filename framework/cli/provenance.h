// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "framework/cli/application.h"
#include "framework/cli/run_plan.h"
#include "framework/core/json.h"

namespace dflash {

/// {"cpu": "model name", "cores": 2}: the model as the kernel names it ("unknown" where it does not), the cores that
/// this process may use.
Json hardware_json();

/// {file: {"version", "hash", "types": [name, ...]}, ...}: whose code besides the program's is in a run.
Json plugins_json(const std::vector<LoadedPlugin>& plugins);

/// What a run's files say of where its numbers come from: {graph_hash, seed, device, precision, hardware, versions,
/// command_line}, `plugins` where there were some, what the application adds, and `resumed_from_step` where it went on
/// from one.
Json run_provenance(const Application& application, const RunPlan& plan, const std::string& command_line,
                    std::optional<std::int64_t> resumed_from_step);

}  // namespace dflash
