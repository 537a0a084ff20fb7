// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <c10/core/ScalarType.h>

#include "stages/export/speculators_config.h"
#include "stages/models/drafter_config.h"
#include "stages/models/drafter_weights.h"

namespace dflash {

/// Whose `config.json` a drafter's folder has. The tensors are the same.
enum class ExportFormat { kZlab, kSpeculators };

/// Where a run keeps the export of each, inside its folder; in the order of the formats.
inline constexpr const char* kExportFolders[] = {"export", "export_speculators"};

struct FolderLayout {
  ExportFormat format = ExportFormat::kZlab;
  Verifier verifier = {};  // of kSpeculators
};

/// A drafter as a folder holds it.
struct StoredDrafter {
  DrafterConfig config;
  DrafterWeights weights;  // on the CPU
};

/// Writes `model.safetensors` with exactly the 11 * layers + 3 tensors of the drafter, in `dtype` (kFloat or
/// kBFloat16), and `config.json` with every key that the packages that load such folders need. The folder must exist.
void write_drafter_folder(const DrafterConfig& config, const DrafterWeights& weights, c10::ScalarType dtype,
                          const std::filesystem::path& folder, const FolderLayout& layout = {});

/// Reads such a folder of either format, with the weights converted to `dtype`. `num_target_layers`: taken where the
/// folder does not say. Throws UserError where a tensor is missing, misshapen, or not one of the drafter's: packages
/// that serve it would take random values or skip it in silence.
StoredDrafter read_drafter_folder(const std::filesystem::path& folder, c10::ScalarType dtype,
                                  std::int64_t num_target_layers = 0);

/// The configuration alone.
DrafterConfig read_drafter_folder_config(const std::filesystem::path& folder, std::int64_t num_target_layers = 0);

/// Compares names and shapes of the folder's tensors with a configuration, without reading them. Throws UserError as
/// above.
void check_drafter_folder_weights(const DrafterConfig& config, const std::filesystem::path& folder);

/// Reads the drafter's tensors from one file, by checkpoint name, converted to `dtype`. Throws UserError as above.
DrafterWeights read_drafter_weights(const DrafterConfig& config, const std::filesystem::path& file,
                                    c10::ScalarType dtype);

/// The two files of a drafter's folder.
std::filesystem::path config_file_in(const std::filesystem::path& folder);
std::filesystem::path weights_file_in(const std::filesystem::path& folder);

/// Says what a user should know before serving this drafter; empty where nothing is amiss.
std::vector<std::string> serving_warnings(const DrafterConfig& config, ExportFormat format = ExportFormat::kZlab);

}  // namespace dflash
