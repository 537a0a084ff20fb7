// SPDX-License-Identifier: Apache-2.0
#include "framework/checkpoint/checkpoint_manifest.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr const char* kSchema = "dflash-checkpoint/1";
constexpr const char* kOwnHash = "manifest_xxh3";

std::string own_hash(Json json) {
  json.erase(kOwnHash);
  return hash_text(json.dump());
}

CheckpointManifest from_json(const Json& json) {
  CheckpointManifest manifest;
  manifest.step = whole_number(json.at("step"));
  if (!json.at("score").is_null()) {
    manifest.score = json.at("score").get<double>();
  }
  for (const Json& file : json.at("files")) {
    manifest.files.push_back({.name = file.at("name").get<std::string>(),
                              .bytes = whole_number(file.at("bytes")),
                              .hash = file.at("xxh3").get<std::string>()});
  }
  return manifest;
}

}  // namespace

std::vector<CheckpointManifest::File> seal_files(const std::filesystem::path& folder) {
  std::vector<CheckpointManifest::File> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    sync_to_disk(entry.path());
    if (entry.is_regular_file()) {
      files.push_back({.name = entry.path().lexically_relative(folder).generic_string(),
                       .bytes = static_cast<std::int64_t>(entry.file_size()),
                       .hash = hash_file(entry.path())});
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

void write_manifest(const std::filesystem::path& folder, const CheckpointManifest& manifest) {
  Json json{{"schema", kSchema}, {"step", manifest.step}, {"score", nullptr}, {"files", Json::array()}};
  if (manifest.score) {
    json["score"] = *manifest.score;
  }
  for (const auto& file : manifest.files) {
    json["files"].push_back({{"name", file.name}, {"bytes", file.bytes}, {"xxh3", file.hash}});
  }
  json[kOwnHash] = own_hash(json);
  write_durably(folder / kManifestName, json.dump(1) + "\n");
}

CheckpointManifest read_manifest(const std::filesystem::path& folder) {
  DFLASH_USER_CHECK(std::filesystem::exists(folder / kManifestName), "'{}' is missing", kManifestName);
  const Json json = parse_or_discard(read_text(folder / kManifestName));
  DFLASH_USER_CHECK(json.is_object(), "'{}' is no JSON object", kManifestName);
  DFLASH_USER_CHECK(json.value("schema", Json{}) == kSchema, "'{}' has another schema; expected '{}'", kManifestName,
                    kSchema);
  DFLASH_USER_CHECK(json.value(kOwnHash, Json{}) == own_hash(json), "'{}' is not as it was written", kManifestName);
  return read_written(json, kManifestName, from_json);
}

}  // namespace dflash
