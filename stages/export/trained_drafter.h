// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"

namespace dflash {

/// Where a run left a trained drafter.
struct TrainedDrafter {
  std::filesystem::path run_folder;
  std::filesystem::path weights;  // `<checkpoint>/<stage>/drafter.safetensors`: the fp32 masters by checkpoint name
  Json resolved;                  // the run's resolved.json
};

/// Finds the drafter of a run folder (its newest checkpoint that is whole) or of one checkpoint folder inside a run.
/// Throws UserError where the path is neither, the checkpoint is damaged, or it holds no drafter, or several.
TrainedDrafter find_trained_drafter(const std::filesystem::path& run_or_checkpoint);

}  // namespace dflash
