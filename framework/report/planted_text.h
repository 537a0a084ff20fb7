// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/core/inject.h"

namespace dflash {

/// What was planted into a stage on purpose, each with its key: "each firing takes 60 ms longer (inject.sleep_ms)".
/// Empty where nothing was.
std::string planted_text(const Inject& inject);

}  // namespace dflash
