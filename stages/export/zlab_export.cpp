// SPDX-License-Identifier: Apache-2.0
#include "stages/export/zlab_export.h"

#include <fstream>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "framework/core/error.h"
#include "stages/export/parity_set.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kParityName = "parity.json";

/// A folder beside the wanted one, removed unless it was given its name.
class PendingFolder {
 public:
  explicit PendingFolder(const fs::path& wanted) : wanted_{wanted}, path_{beside(wanted, "writing")} {
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
    const fs::path old = beside(wanted_, "old");
    std::error_code error;
    if (fs::exists(wanted_)) {
      fs::rename(wanted_, old, error);
    }
    if (!error) {
      fs::rename(path_, wanted_, error);
    }
    DFLASH_USER_CHECK(!error, "{}: cannot be replaced: {}", wanted_.string(), error.message());
    fs::remove_all(old, error);
  }

 private:
  static fs::path beside(const fs::path& wanted, const char* word) {
    return wanted.parent_path() / fmt::format(".{}.{}-{}", wanted.filename().string(), word, ::getpid());
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

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text << '\n';
  file.close();
  DFLASH_USER_CHECK(file.good(), "{}: cannot be written", path.string());
}

}  // namespace

ZlabExportResult export_zlab(const ZlabExport& what, const fs::path& folder) {
  const fs::path wanted = folder.has_filename() ? folder : folder.parent_path();
  refuse_foreign(wanted);
  PendingFolder pending(wanted);
  write_zlab_folder(what.config, what.weights, what.dtype, pending.path());
  const ZlabDrafter written = read_zlab_folder(pending.path(), what.parity_dtype);
  const Json parity = parity_set(what.decode_models(written), what.prompts, what.answers);
  write_text(pending.path() / kParityName, parity.dump());
  pending.commit();
  ZlabExportResult result{.warnings = serving_warnings(what.config), .tau = std::nullopt};
  if (parity.at("tau").is_number()) {
    result.tau = parity.at("tau").get<double>();
  }
  return result;
}

}  // namespace dflash
