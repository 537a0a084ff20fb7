// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <c10/core/ScalarType.h>
#include <nlohmann/json.hpp>

#include "framework/core/json.h"
#include "stages/evaluate/acceptance_evaluation.h"
#include "stages/export/drafter_folder.h"

namespace dflash {

/// What is exported, and what its parity set is computed with.
struct DrafterExport {
  const DrafterConfig& config;
  const DrafterWeights& weights;
  FolderLayout layout = {};
  c10::ScalarType dtype = c10::ScalarType::BFloat16;      // of the written weights: what training computed in
  c10::ScalarType parity_dtype = c10::ScalarType::Float;  // what the parity set is computed in
  /// Makes the decode loop's two sides for a drafter that was read back from the written bytes.
  std::function<DecodeModels(const StoredDrafter& drafter)> decode_models;
  const std::vector<std::vector<std::int64_t>>& prompts;  // of the parity set; none: an empty one
  AnswerOptions answers;
  /// The target that it was trained against; none: the export does not tell.
  std::filesystem::path target_folder = {};
  c10::ScalarType target_dtype = c10::ScalarType::Float;  // of the weights in that folder
  Json chat = {};  // {template, thinking} of the chats that it was trained on; null: not known
};

struct DrafterExportResult {
  std::vector<std::string> warnings;
  std::optional<double> tau;  // of the parity set; none without prompts
};

/// Writes the folder that serving packages load: `model.safetensors`, `config.json`, and `parity.json` computed from
/// these files as they were written. The folder appears complete or not at all; an earlier export of this
/// program is replaced. Throws UserError where `folder` is something else.
[[nodiscard]] DrafterExportResult write_export(const DrafterExport& what, const std::filesystem::path& folder);

}  // namespace dflash
