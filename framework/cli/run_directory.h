// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>

#include "framework/checkpoint/folder_lock.h"

namespace dflash {

/// The folder of one run, and where things lie in it. No other process writes there meanwhile.
class RunDirectory {
 public:
  /// What to do with a folder that has something in it.
  enum class Existing {
    kRefuse,
    kResume,   // go on with what is there
    kReplace,  // remove it all
  };

  /// Makes nothing yet. Throws UserError where a run that goes on writes there, or the folder is taken: kRefuse takes
  /// only a missing or empty one, the others also a run directory; a folder with anything else in it is never touched.
  RunDirectory(std::filesystem::path path, Existing existing);

  /// "runs/<graph name>-<YYYYmmdd-HHMMSS>", local time; "-2" and so on behind it where that is taken.
  static std::filesystem::path default_path(const std::string& graph_name, std::time_t now);
  /// Holds a resolved.json, so this program has made it.
  static bool is_run_directory(const std::filesystem::path& path);

  /// Throws UserError where a command's --output would replace what commands read of a run.
  static void check_output(const std::filesystem::path& file);

  /// Makes the folder, or empties it for kReplace. Throws UserError where the disk refuses.
  void create();
  /// A report is of a run that has ended: one that goes on has none yet.
  void remove_reports() const;
  /// From any thread.
  [[nodiscard]] bool created() const { return created_; }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path resolved() const { return path_ / "resolved.json"; }
  [[nodiscard]] std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  [[nodiscard]] std::filesystem::path report_json() const { return path_ / "report.json"; }
  [[nodiscard]] std::filesystem::path report_text() const { return path_ / "report.txt"; }
  [[nodiscard]] std::filesystem::path report_page() const { return path_ / "report.html"; }
  [[nodiscard]] std::filesystem::path trace() const { return path_ / "trace.json"; }
  [[nodiscard]] std::filesystem::path timeline() const { return path_ / "timeline.json"; }
  [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }

 private:
  std::filesystem::path path_;
  Existing existing_;
  std::unique_ptr<FolderLock> lock_;
  std::atomic<bool> created_ = false;
};

}  // namespace dflash
