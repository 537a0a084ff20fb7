// SPDX-License-Identifier: Apache-2.0
#include "stages/models/safetensors_folder.h"

#include <optional>
#include <system_error>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json.h"
#include "framework/core/json_text.h"
#include "framework/core/nearest_name.h"
#include "stages/models/fault_list.h"

namespace dflash {
namespace {

constexpr auto kSingleFile = "model.safetensors";
constexpr auto kIndexFile = "model.safetensors.index.json";

using Faults = std::vector<std::string>;

std::optional<Json> read_weight_map(const std::filesystem::path& index, Faults& faults) {
  Diagnostics mistakes;
  const std::optional<JsonText> text = parse_json_text(read_text(index), index.string(), mistakes);
  faults.insert(faults.end(), mistakes.mistakes().begin(), mistakes.mistakes().end());
  if (!text) {
    return std::nullopt;
  }
  const Json& json = text->value;
  if (!json.is_object() || !json.contains("weight_map") || !json.at("weight_map").is_object()) {
    faults.push_back(fmt::format("{}: expected an object with the object 'weight_map'", index.string()));
    return std::nullopt;
  }
  return json.at("weight_map");
}

std::string fault_of_shard_name(const Json& value) {
  if (!value.is_string()) {
    return fmt::format("file of type {}, expected a string", value.type_name());
  }
  const std::filesystem::path shard = value.get<std::string>();
  return shard.has_filename() && shard == shard.filename() && shard != ".."
             ? ""
             : fmt::format("'{}' is not the name of a file in the folder", shard.string());
}

/// Shards of another save of the model, or of one that was not finished, look like this.
bool looks_like_shard(const std::string& name) {
  return name.starts_with("model-") && name.find("-of-") != std::string::npos && name.ends_with(".safetensors");
}

void refuse_stray_shards(const std::filesystem::path& folder,
                         const std::map<std::string, std::vector<std::string>>& shards, Faults& faults) {
  std::error_code ignored;  // where the folder cannot be listed, its files can be read all the same
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (looks_like_shard(name) && !shards.contains(name)) {
      faults.push_back(fmt::format("'{}' is unused: {} does not name it", entry.path().string(), kIndexFile));
    }
  }
}

}  // namespace

SafetensorsFolder::SafetensorsFolder(const std::filesystem::path& folder, Faults& faults) : path_(folder.string()) {
  DFLASH_USER_CHECK(std::filesystem::is_directory(folder), "'{}' is not a folder", path_);
  if (std::filesystem::exists(folder / kSingleFile)) {
    open_single_file(folder / kSingleFile, faults);
    return;
  }
  const std::filesystem::path index = folder / kIndexFile;
  DFLASH_USER_CHECK(std::filesystem::exists(index),
                    "'{}' has no weights: neither {} nor {} (other formats are not read)", path_, kSingleFile,
                    kIndexFile);
  const std::optional<Json> weight_map = read_weight_map(index, faults);
  if (!weight_map) {
    return;
  }
  NamesByShard shards;
  for (const auto& [name, value] : weight_map->items()) {
    if (const std::string fault = fault_of_shard_name(value); !fault.empty()) {
      faults.push_back(fmt::format("{}, tensor '{}': {}", index.string(), name, fault));
      lost_.insert(name);
      continue;
    }
    shards[value.get<std::string>()].push_back(name);
    names_.push_back(name);
    file_of_[name] = value.get<std::string>();
  }
  open_shards(folder, shards, faults);
  refuse_stray_shards(folder, shards, faults);
}

SafetensorsFolder::SafetensorsFolder(const std::filesystem::path& folder) {
  Faults faults;
  *this = SafetensorsFolder(folder, faults);
  DFLASH_USER_CHECK(faults.empty(), "{}", fault_list(faults));
}

void SafetensorsFolder::open_single_file(const std::filesystem::path& file, Faults& faults) {
  try {
    const SafetensorsFile& opened = files_.try_emplace(kSingleFile, file).first->second;
    for (const StoredTensor& tensor : opened.tensors()) {
      file_of_[tensor.name] = kSingleFile;
      names_.push_back(tensor.name);
    }
  } catch (const UserError& error) {
    faults.emplace_back(error.what());
  }
}

void SafetensorsFolder::open_shards(const std::filesystem::path& folder, const NamesByShard& shards, Faults& faults) {
  for (const auto& [shard, names] : shards) {
    try {
      take_shard(files_.try_emplace(shard, folder / shard).first->second, shard, names, faults);
    } catch (const UserError& error) {
      faults.emplace_back(error.what());
      lost_.insert(names.begin(), names.end());
    }
  }
  std::erase_if(names_, [&](const std::string& name) { return lost_.contains(name); });
  for (const std::string& name : lost_) {
    file_of_.erase(name);
  }
}

void SafetensorsFolder::take_shard(const SafetensorsFile& file, const std::string& shard,
                                   const std::vector<std::string>& names, Faults& faults) {
  const std::string place = (std::filesystem::path(path_) / shard).string();
  for (const std::string& name : names) {
    if (file.find(name) == nullptr) {
      faults.push_back(fmt::format("{}, tensor '{}': not in '{}'", (std::filesystem::path(path_) / kIndexFile).string(),
                                   name, shard));
      lost_.insert(name);
    }
  }
  for (const StoredTensor& tensor : file.tensors()) {
    const auto found = file_of_.find(tensor.name);
    if (found == file_of_.end()) {
      faults.push_back(fmt::format("{}, tensor '{}': {} does not name it", place, tensor.name, kIndexFile));
    } else if (found->second != shard) {
      faults.push_back(
          fmt::format("{}, tensor '{}': {} has it in '{}'", place, tensor.name, kIndexFile, found->second));
    }
  }
}

const StoredTensor* SafetensorsFolder::find(std::string_view name) const {
  const auto found = file_of_.find(name);
  return found == file_of_.end() ? nullptr : files_.at(found->second).find(name);
}

void SafetensorsFolder::forget(std::string_view name) const {
  if (const auto found = file_of_.find(name); found != file_of_.end()) {
    files_.at(found->second).forget(name);
  }
}

at::Tensor SafetensorsFolder::tensor(std::string_view name) const {
  const auto found = file_of_.find(name);
  DFLASH_USER_CHECK(found != file_of_.end(), "'{}' has no tensor '{}'{}", path_, name, suggestion(name, names_));
  return files_.at(found->second).tensor(name);
}

}  // namespace dflash
