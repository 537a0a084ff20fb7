// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dflash {

inline constexpr const char* kManifestName = "manifest.json";

/// What a checkpoint's folder must hold. The manifest carries a hash of itself, so that a flipped bit in it is seen
/// too.
struct CheckpointManifest {
  struct File {
    std::string name;  // relative to the folder, with '/'
    std::int64_t bytes = 0;
    std::string hash;
  };
  std::int64_t step = 0;
  std::optional<double> score;
  std::vector<File> files;  // by name
};

/// Measures and syncs all files below a folder. Throws UserError.
std::vector<CheckpointManifest::File> seal_files(const std::filesystem::path& folder);

void write_manifest(const std::filesystem::path& folder, const CheckpointManifest& manifest);

/// Throws UserError that says what is wrong where the manifest is missing or not as it was written.
CheckpointManifest read_manifest(const std::filesystem::path& folder);

}  // namespace dflash
