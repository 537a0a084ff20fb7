// SPDX-License-Identifier: Apache-2.0
#include "stages/export/drafter_export.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/checkpoint/replace_folder.h"
#include "framework/core/error.h"
#include "stages/export/parity_set.h"
#include "stages/export/target_fingerprint.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

/// A folder beside the wanted one, removed unless it was given its name.
class PendingFolder {
 public:
  explicit PendingFolder(const fs::path& wanted) : wanted_{wanted}, path_{beside(wanted)} {
    std::error_code error;
    fs::remove_all(path_, error);
    fs::create_directories(path_, error);
    DFLASH_USER_CHECK(!error, "{}: cannot be made: {}", path_.string(), error.message());
  }
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;
  ~PendingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

  void commit() {
    try {
      replace_folder(path_, wanted_);
    } catch (const fs::filesystem_error& error) {
      throw UserError(fmt::format("{}: cannot be replaced: {}", wanted_.string(), error.what()));
    }
  }

 private:
  static fs::path beside(const fs::path& wanted) {
    return wanted.parent_path() / fmt::format(".{}.writing-{}", wanted.filename().string(), ::getpid());
  }
  fs::path wanted_;
  fs::path path_;
};

void refuse_foreign(const fs::path& folder) {
  if (!fs::exists(folder)) {
    return;
  }
  DFLASH_USER_CHECK(fs::is_directory(folder), "{}: is a file; an export needs a folder", folder.string());
  DFLASH_USER_CHECK(fs::is_empty(folder) || fs::exists(folder / kParityName),
                    "{}: exists and is no export of this program ('{}' is missing); name another folder",
                    folder.string(), kParityName);
}

/// The layers whose features it takes, as each kind of engine numbers them.
Json taps_note(const DrafterConfig& config) {
  return {{"output_of_layer", config.target_layer_ids},  // z-lab, SGLang, SpecForge: target_layer_ids
          {"input_of_layer", entered_layers(config)}};
}

}  // namespace

DrafterExportResult write_export(const DrafterExport& what, const fs::path& folder) {
  const fs::path wanted = folder.has_filename() ? folder : folder.parent_path();
  refuse_foreign(wanted);
  PendingFolder pending(wanted);
  write_drafter_folder(what.config, what.weights, what.dtype, pending.path(), what.layout);
  const StoredDrafter written = read_drafter_folder(pending.path(), what.parity_dtype, what.config.num_target_layers);
  Json parity = parity_set(what.decode_models(written), what.prompts, what.answers);
  parity["taps"] = taps_note(what.config);
  if (!what.target_folder.empty()) {
    parity["target"] = target_note(what.target_folder);
  }
  parity["chat"] = what.chat;
  write_durably(pending.path() / kParityName, parity.dump() + "\n");
  pending.commit();
  DrafterExportResult result{.warnings = serving_warnings(what.config, what.layout.format), .tau = std::nullopt};
  if (what.target_dtype == c10::ScalarType::Half && what.dtype == c10::ScalarType::BFloat16) {
    result.warnings.emplace_back(
        "its weights are bfloat16, the target's float16; servers compute both in one type, and round the drafter again "
        "where that is float16");
  }
  if (parity.at("tau").is_number()) {
    result.tau = parity.at("tau").get<double>();
  }
  return result;
}

}  // namespace dflash
