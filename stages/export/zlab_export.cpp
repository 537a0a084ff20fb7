// SPDX-License-Identifier: Apache-2.0
#include "stages/export/zlab_export.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/checkpoint/replace_folder.h"
#include "framework/core/error.h"
#include "stages/export/parity_set.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kParityName = "parity.json";

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

}  // namespace

ZlabExportResult export_zlab(const ZlabExport& what, const fs::path& folder) {
  const fs::path wanted = folder.has_filename() ? folder : folder.parent_path();
  refuse_foreign(wanted);
  PendingFolder pending(wanted);
  write_zlab_folder(what.config, what.weights, what.dtype, pending.path());
  const ZlabDrafter written = read_zlab_folder(pending.path(), what.parity_dtype);
  const Json parity = parity_set(what.decode_models(written), what.prompts, what.answers);
  write_durably(pending.path() / kParityName, parity.dump() + "\n");
  pending.commit();
  ZlabExportResult result{.warnings = serving_warnings(what.config), .tau = std::nullopt};
  if (parity.at("tau").is_number()) {
    result.tau = parity.at("tau").get<double>();
  }
  return result;
}

}  // namespace dflash
