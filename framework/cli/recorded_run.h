// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/core/json.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// The run directory of an earlier run, as the commands see it that look at runs. Each file is read when it is asked
/// for; what is missing or damaged is thrown as UserError that names the file.
class RecordedRun {
 public:
  /// Throws where there is no such folder, or where it is no run's.
  explicit RecordedRun(std::filesystem::path folder);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

  /// report.json. Throws also where the run has not ended yet, or was killed.
  [[nodiscard]] Json report() const;
  /// The graph of resolved.json, with all its values; itself a graph file.
  [[nodiscard]] Json graph() const;
  /// The objects of metrics.jsonl, line by line, evaluations among them; a line that a killed run has cut short is left
  /// out. Empty where the graph writes none.
  [[nodiscard]] std::vector<Json> metrics() const;
  /// timeline.json. Throws also where an older program has made the run.
  [[nodiscard]] Timeline timeline() const;

 private:
  [[nodiscard]] std::filesystem::path file(const char* name) const { return folder_ / name; }
  [[nodiscard]] bool has(const char* name) const { return std::filesystem::is_regular_file(file(name)); }

  std::filesystem::path folder_;
};

}  // namespace dflash
