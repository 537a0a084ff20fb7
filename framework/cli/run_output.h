// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "framework/cli/run_directory.h"
#include "framework/cli/run_plan.h"
#include "framework/core/json.h"
#include "framework/report/progress.h"

namespace dflash {

/// What `run` prints and where: progress and summary on standard output, or on standard error where --json needs the
/// former for its one object; errors always on standard error.
class RunOutput {
 public:
  explicit RunOutput(const RunRequest& request);

  [[nodiscard]] ProgressStyle style() const { return style_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] Progress::Write writer() const;

  /// A line for people; not with --quiet, and nothing where it is empty.
  void say(const std::string& line) const;
  /// Lines on standard error; not with --quiet.
  void warn(const std::vector<std::string>& warnings) const;
  /// The end of a run: summary or errors, what stages note (the report's section "notes", {stage: some lines}), the
  /// verdict, where the report is; the JSON object. `report` is report.json.
  void result(const RunDirectory& directory, const Json& report, const std::string& summary) const;
  /// The JSON object of a run that was finished before. Returns exit code 0.
  int already_finished(const RunDirectory& directory) const;

 private:
  /// Unless it is 0; with its cause where no error has told that.
  void say_code(const Json& report) const;

  bool quiet_;
  bool json_;
  std::FILE* out_;
  ProgressStyle style_;
  std::size_t columns_;
};

}  // namespace dflash
