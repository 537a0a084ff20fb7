// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_directory.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "framework/core/error.h"

namespace dflash {

namespace fs = std::filesystem;

namespace {

/// Also where a run was killed while it wrote its first file.
bool holds_nothing(const fs::path& folder) {
  return std::all_of(fs::directory_iterator{folder}, fs::directory_iterator{},
                     [](const fs::directory_entry& entry) { return entry.path().filename() == "resolved.json.tmp"; });
}

}  // namespace

RunDirectory::RunDirectory(fs::path path, Existing existing) : path_{std::move(path)}, existing_{existing} {
  if (!fs::exists(path_)) {
    return;
  }
  DFLASH_USER_CHECK(fs::is_directory(path_), "the run directory '{}' is a file; allowed: a new folder", path_.string());
  if (holds_nothing(path_)) {
    return;
  }
  DFLASH_USER_CHECK(existing_ != Existing::kRefuse,
                    "the run directory '{}' exists and is not empty; allowed: a new folder, --resume to go on with "
                    "that run, --force to "
                    "remove it first",
                    path_.string());
  DFLASH_USER_CHECK(
      is_run_directory(path_),
      "'{}' is not a run directory (it has no resolved.json), so nothing in it is touched; allowed: a new folder",
      path_.string());
  lock_ = std::make_unique<FolderLock>(path_, "the run directory");
}

fs::path RunDirectory::default_path(const std::string& graph_name, std::time_t now) {
  const std::string name = fmt::format("{}-{:%Y%m%d-%H%M%S}", graph_name, fmt::localtime(now));
  fs::path path = fs::path{"runs"} / name;
  for (int number = 2; fs::exists(path); ++number) {
    path = fs::path{"runs"} / fmt::format("{}-{}", name, number);
  }
  return path;
}

bool RunDirectory::is_run_directory(const fs::path& path) { return fs::is_regular_file(path / "resolved.json"); }

void RunDirectory::check_output(const fs::path& file) {
  constexpr std::array kRecords{"resolved.json", "metrics.jsonl", "report.json", "timeline.json"};
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  DFLASH_USER_CHECK(std::ranges::find(kRecords, file.filename()) == kRecords.end() || !is_run_directory(folder),
                    "--output {}: found a record of a run, allowed: another file", file.string());
}

void RunDirectory::create() {
  try {
    fs::create_directories(path_);
    if (lock_ == nullptr) {
      lock_ = std::make_unique<FolderLock>(path_, "the run directory");
    }
    if (existing_ == Existing::kReplace) {
      for (const fs::directory_entry& entry : fs::directory_iterator{path_}) {
        fs::remove_all(entry.path());
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw UserError(fmt::format("the run directory cannot be made: {}", error.what()));
  }
  created_ = true;
}

void RunDirectory::remove_reports() const {
  for (const fs::path& report : {report_json(), report_text(), report_page(), trace(), timeline()}) {
    std::error_code error;
    fs::remove(report, error);
    DFLASH_USER_CHECK(!error, "cannot remove '{}' of the earlier run: {}", report.string(), error.message());
  }
}

}  // namespace dflash
