// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <c10/core/ScalarType.h>

#include "stages/models/drafter_config.h"
#include "stages/models/drafter_weights.h"

namespace dflash {

/// A drafter as a z-lab folder holds it.
struct ZlabDrafter {
  DrafterConfig config;
  DrafterWeights weights;  // on the CPU
};

/// Writes `model.safetensors` with exactly the 11 * layers + 3 tensors of the drafter, in `dtype` (kFloat or
/// kBFloat16), and `config.json` with every key that the serving packages need. The folder must exist.
void write_zlab_folder(const DrafterConfig& config, const DrafterWeights& weights, c10::ScalarType dtype,
                       const std::filesystem::path& folder);

/// Reads such a folder, with the weights converted to `dtype`. Throws UserError where a tensor is missing, misshapen,
/// or not one of the drafter's: packages that serve it would take random values or skip it in silence.
ZlabDrafter read_zlab_folder(const std::filesystem::path& folder, c10::ScalarType dtype);

/// Reads the drafter's tensors from one file, by checkpoint name, converted to `dtype`. Throws UserError as above.
DrafterWeights read_drafter_weights(const DrafterConfig& config, const std::filesystem::path& file,
                                    c10::ScalarType dtype);

/// Says what a user should know before serving this drafter; empty where nothing is amiss.
std::vector<std::string> serving_warnings(const DrafterConfig& config);

}  // namespace dflash
