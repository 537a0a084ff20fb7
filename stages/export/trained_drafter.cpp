// SPDX-License-Identifier: Apache-2.0
#include "stages/export/trained_drafter.h"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/checkpoint/checkpoint_manifest.h"
#include "framework/checkpoint/checkpoint_store.h"
#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResolvedName = "resolved.json";
constexpr const char* kWeightsName = "drafter.safetensors";

Json read_resolved(const fs::path& path) {
  const Json json = parse_or_discard(read_text(path));
  DFLASH_USER_CHECK(json.is_object(), "{}: is not a JSON object", path.string());
  return json;
}

fs::path drafter_file_in(const fs::path& checkpoint) {
  std::vector<fs::path> found;
  for (const auto& stage : fs::directory_iterator(checkpoint)) {
    if (fs::exists(stage.path() / kWeightsName)) {
      found.push_back(stage.path() / kWeightsName);
    }
  }
  DFLASH_USER_CHECK(found.size() == 1, "{}: holds {} drafters ('<stage>/{}'), one is needed", checkpoint.string(),
                    found.size(), kWeightsName);
  return found.front();
}

TrainedDrafter drafter_of(const fs::path& run, const fs::path& checkpoint) {
  return {.run_folder = run, .weights = drafter_file_in(checkpoint), .resolved = read_resolved(run / kResolvedName)};
}

}  // namespace

TrainedDrafter find_trained_drafter(const fs::path& run_or_checkpoint) {
  const fs::path path =
      fs::absolute(run_or_checkpoint.has_filename() ? run_or_checkpoint : run_or_checkpoint.parent_path());
  DFLASH_USER_CHECK(fs::is_directory(path), "{}: no such folder", path.string());
  if (fs::exists(path / kResolvedName)) {
    const NewestValid newest = CheckpointStore(path / "checkpoints").newest_valid();
    const std::string damaged =
        newest.skipped.empty() ? "" : "; the newest is damaged: " + newest.skipped.front().reason;
    DFLASH_USER_CHECK(newest.checkpoint.has_value(), "{}: the run has no checkpoint to export{}", path.string(),
                      damaged);
    return drafter_of(path, newest.checkpoint->folder);
  }
  const fs::path run = path.parent_path().parent_path();
  DFLASH_USER_CHECK(fs::exists(path / kManifestName) && fs::exists(run / kResolvedName),
                    "{}: is neither a run folder (with {}) nor one of its checkpoints (with {})", path.string(),
                    kResolvedName, kManifestName);
  const std::optional<std::string> fault = CheckpointStore::verify(path);
  DFLASH_USER_CHECK(!fault.has_value(), "{}: the checkpoint is damaged: {}", path.string(), fault.value_or(""));
  return drafter_of(run, path);
}

}  // namespace dflash
