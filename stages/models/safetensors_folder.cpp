// SPDX-License-Identifier: Apache-2.0
#include "stages/models/safetensors_folder.h"

#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json.h"
#include "framework/core/json_syntax.h"
#include "framework/core/nearest_name.h"

namespace dflash {
namespace {

constexpr auto kSingleFile = "model.safetensors";
constexpr auto kIndexFile = "model.safetensors.index.json";

Json read_weight_map(const std::filesystem::path& index) {
  const Json parsed = parse_json(read_text(index), index.string());
  DFLASH_USER_CHECK(parsed.is_object() && parsed.contains("weight_map") && parsed.at("weight_map").is_object(),
                    "{}: expected an object with the object 'weight_map'", index.string());
  return parsed.at("weight_map");
}

}  // namespace

SafetensorsFolder::SafetensorsFolder(const std::filesystem::path& folder) : path_(folder.string()) {
  DFLASH_USER_CHECK(std::filesystem::is_directory(folder), "'{}' is not a folder", path_);
  if (std::filesystem::exists(folder / kSingleFile)) {
    const auto& file = files_.try_emplace(kSingleFile, folder / kSingleFile).first->second;
    for (const StoredTensor& tensor : file.tensors()) {
      file_of_[tensor.name] = kSingleFile;
      names_.push_back(tensor.name);
    }
    return;
  }
  DFLASH_USER_CHECK(std::filesystem::exists(folder / kIndexFile),
                    "'{}' has no weights: neither {} nor {} (other formats are not read)", path_, kSingleFile,
                    kIndexFile);
  open_shards(folder, folder / kIndexFile);
}

void SafetensorsFolder::open_shards(const std::filesystem::path& folder, const std::filesystem::path& index) {
  const Json weight_map = read_weight_map(index);
  for (const auto& [name, value] : weight_map.items()) {
    DFLASH_USER_CHECK(value.is_string(), "{}, tensor '{}': file of type {}, expected a string", index.string(), name,
                      value.type_name());
    const std::filesystem::path shard = value.get<std::string>();
    DFLASH_USER_CHECK(shard.has_filename() && shard == shard.filename() && shard != "..",
                      "{}, tensor '{}': '{}' is not the name of a file in the folder", index.string(), name,
                      shard.string());
    const SafetensorsFile& file = files_.try_emplace(shard.string(), folder / shard).first->second;
    DFLASH_USER_CHECK(file.find(name) != nullptr, "{}, tensor '{}': not in '{}'", index.string(), name, shard.string());
    DFLASH_USER_CHECK(file_of_.emplace(name, shard.string()).second, "{}: tensor '{}' is named twice", index.string(),
                      name);
    names_.push_back(name);
  }
}

const StoredTensor* SafetensorsFolder::find(std::string_view name) const {
  const auto found = file_of_.find(name);
  return found == file_of_.end() ? nullptr : files_.at(found->second).find(name);
}

at::Tensor SafetensorsFolder::tensor(std::string_view name) const {
  const auto found = file_of_.find(name);
  DFLASH_USER_CHECK(found != file_of_.end(), "'{}' has no tensor '{}'{}", path_, name, suggestion(name, names_));
  return files_.at(found->second).tensor(name);
}

}  // namespace dflash
