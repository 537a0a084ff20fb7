// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "framework/runtime/origin.h"

namespace dflash {

/// Where every stage up to the step stage stands, by name: a consistent cut of a run.
using Cut = std::map<std::string, StagePosition>;

/// Writes `folder`/cut.json. Throws UserError where it cannot be written.
void write_cut(const std::filesystem::path& folder, const Cut& cut);
/// Throws UserError where there is none, or it is not readable.
[[nodiscard]] Cut read_cut(const std::filesystem::path& folder);

}  // namespace dflash
