// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stages/models/safetensors.h"

namespace dflash {

/// The weights of a Hugging Face folder: one `model.safetensors`, or shards listed in `model.safetensors.index.json`.
/// Where both are there, the single file counts.
class SafetensorsFolder {
 public:
  /// Opens all files. Throws UserError, with all faults in one message, where there are no files, a shard is missing,
  /// bad, outside the folder or not in the index, or where index and shards do not hold the same tensors, each once.
  explicit SafetensorsFolder(const std::filesystem::path& folder);
  /// The same, but adds the faults to a list and goes on with what there is.
  SafetensorsFolder(const std::filesystem::path& folder, std::vector<std::string>& faults);

  /// All names: in the order of the bytes of a single file, in the order of the index of shards.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Null where there is no such tensor.
  [[nodiscard]] const StoredTensor* find(std::string_view name) const;
  /// Whether the index puts a tensor into a file that is at fault, so that nobody knows.
  [[nodiscard]] bool is_lost(std::string_view name) const { return lost_.contains(name); }
  /// As SafetensorsFile::tensor.
  [[nodiscard]] at::Tensor tensor(std::string_view name) const;
  /// As SafetensorsFile::forget.
  void forget(std::string_view name) const;

 private:
  using NamesByShard = std::map<std::string, std::vector<std::string>>;

  void open_single_file(const std::filesystem::path& file, std::vector<std::string>& faults);
  void open_shards(const std::filesystem::path& folder, const NamesByShard& shards, std::vector<std::string>& faults);
  void take_shard(const SafetensorsFile& file, const std::string& shard, const std::vector<std::string>& names,
                  std::vector<std::string>& faults);

  std::string path_;
  std::map<std::string, SafetensorsFile> files_;
  std::map<std::string, std::string, std::less<>> file_of_;
  std::vector<std::string> names_;
  std::set<std::string, std::less<>> lost_;
};

}  // namespace dflash
