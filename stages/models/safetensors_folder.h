// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stages/models/safetensors.h"

namespace dflash {

/// The weights of a Hugging Face folder: one `model.safetensors`, or shards listed in `model.safetensors.index.json`.
/// Where both are there, the single file counts.
class SafetensorsFolder {
 public:
  /// Opens all files. Throws UserError where there are none, a shard is missing or bad, lies outside the folder, or
  /// does not hold what the index says.
  explicit SafetensorsFolder(const std::filesystem::path& folder);

  /// All names: in the order of the bytes of a single file, in the order of the index of shards.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Null where there is no such tensor.
  [[nodiscard]] const StoredTensor* find(std::string_view name) const;
  /// As SafetensorsFile::tensor.
  [[nodiscard]] at::Tensor tensor(std::string_view name) const;

 private:
  void open_shards(const std::filesystem::path& folder, const std::filesystem::path& index);

  std::string path_;
  std::map<std::string, SafetensorsFile> files_;
  std::map<std::string, std::string, std::less<>> file_of_;
  std::vector<std::string> names_;
};

}  // namespace dflash
