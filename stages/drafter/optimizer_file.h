// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "stages/models/adamw.h"

namespace dflash {

/// Writes the optimiser's whole state (masters, moments, step) to a safetensors file.
void save_optimizer(const AdamW& adamw, const std::filesystem::path& file);

/// Reads it back. Throws UserError with all that is missing, unknown or misshapen.
void load_optimizer(AdamW& adamw, const std::filesystem::path& file);

}  // namespace dflash
