// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/core/json.h"
#include "stages/data/text_codec.h"
#include "stages/prepare/shard_file.h"

namespace dflash {

/// What ties shards to the target that they were made for: hashes of its tokenizer and of its chat template, and
/// whether that was asked for thinking.
std::map<std::string, std::string> codec_settings(const TextCodec& codec);

/// "shard-00007.safetensors".
std::string shard_name(std::int64_t number);

/// Says that a folder's shards are complete: `shards.json`, written last, with their number, rows, tokens and settings.
void write_shard_list(const std::filesystem::path& folder, const Json& list);

/// A folder of shards, complete and all of one making.
class ShardSet {
 public:
  /// Opens and checks all files. Throws UserError with the file and what is wrong: no `shards.json` (not complete), a
  /// shard that is missing, damaged, or of another making than the list says.
  explicit ShardSet(const std::filesystem::path& folder);

  [[nodiscard]] std::int64_t rows() const { return first_rows_.back(); }
  [[nodiscard]] std::int64_t tokens() const { return tokens_; }
  [[nodiscard]] const std::map<std::string, std::string>& settings() const { return settings_; }
  [[nodiscard]] Document row(std::int64_t index) const;
  /// Throws UserError where the shards were made with another tokenizer or chat template, or another wish for thinking.
  void require_codec(const TextCodec& codec) const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string> settings_;
  std::vector<ShardFile> shards_;
  std::vector<std::int64_t> first_rows_{0};  // of each shard, and the number of all
  std::int64_t tokens_ = 0;
};

}  // namespace dflash
