// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/data/document.h"

namespace dflash {

/// Writes documents as one safetensors file, which appears whole or not at all: `ids` (int32, all rows one after the
/// other), `loss_mask` (uint8, likewise), `offsets` (int64, [rows + 1], where each row begins and the last ends),
/// `row_ids` (int64, [rows]) and, where rows have tags, `tags` (int32, [rows], numbers into the metadata's "tags", a
/// JSON list). `settings` go to the metadata.
void write_shard(const std::filesystem::path& file, std::span<const Document> rows,
                 const std::map<std::string, std::string>& settings);

/// Such a file, mapped into memory. Rows may be read from any thread.
class ShardFile {
 public:
  /// Opens a file and checks it wholly but for the values of ids. Throws UserError with the file, what was found and
  /// what is allowed.
  explicit ShardFile(const std::filesystem::path& file);

  [[nodiscard]] std::int64_t rows() const { return offsets_.numel() - 1; }
  [[nodiscard]] std::int64_t tokens() const { return ids_.numel(); }
  /// Its epoch is 0 and it has no conversation.
  [[nodiscard]] Document row(std::int64_t index) const;
  [[nodiscard]] const std::map<std::string, std::string>& settings() const { return settings_; }

 private:
  void check_offsets(const std::string& file) const;
  void read_tags(const std::string& file, const at::Tensor& numbers);

  at::Tensor ids_;
  at::Tensor loss_mask_;
  at::Tensor offsets_;
  at::Tensor row_ids_;
  std::vector<std::string> tag_names_;
  std::vector<std::int32_t> tags_;  // of each row; empty where none has one
  std::map<std::string, std::string> settings_;
};

}  // namespace dflash
