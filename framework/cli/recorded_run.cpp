// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/recorded_run.h"

#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/run_directory.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/report/report_json.h"
#include "framework/report/timeline_json.h"

namespace dflash {

namespace fs = std::filesystem;

namespace {

/// Where a file of a run directory was named instead of the directory.
std::string folder_suggestion(const fs::path& path) {
  return path.has_parent_path() && RunDirectory::is_run_directory(path.parent_path())
             ? fmt::format("; did you mean '{}'?", path.parent_path().string())
             : "";
}

}  // namespace

RecordedRun::RecordedRun(fs::path folder) : folder_{std::move(folder)} {
  DFLASH_USER_CHECK(fs::exists(folder_), "there is no run directory '{}'", folder_.string());
  DFLASH_USER_CHECK(fs::is_directory(folder_), "'{}' is a file; allowed: the directory of a run{}", folder_.string(),
                    folder_suggestion(folder_));
  DFLASH_USER_CHECK(RunDirectory::is_run_directory(folder_), "'{}' is not a run directory (it has no resolved.json)",
                    folder_.string());
}

Json RecordedRun::report() const {
  DFLASH_USER_CHECK(has("report.json"),
                    "the run in '{}' has no report.json: it has not ended yet, or was killed; `--resume` takes it to "
                    "its end",
                    folder_.string());
  const std::string name = file("report.json").string();
  Json report = parse_or_discard(read_text(name));
  read_written(report, name, [&](const Json& object) {
    const std::string schema = object.at("schema").get<std::string>();
    DFLASH_USER_CHECK(schema == kReportSchema, "'{}': found schema '{}', allowed: '{}'", name, schema, kReportSchema);
  });
  return report;
}

Json RecordedRun::graph() const {
  const std::string name = file("resolved.json").string();
  return read_written(parse_or_discard(read_text(name)), name, [&](const Json& object) {
    const Json& graph = object.at("graph");
    DFLASH_USER_CHECK(graph.is_object(), "'{}' is damaged: its graph is no object", name);
    return graph;
  });
}

std::vector<Json> RecordedRun::metrics() const {
  std::vector<Json> objects;
  if (!has("metrics.jsonl")) {
    return objects;
  }
  const std::string name = file("metrics.jsonl").string();
  std::istringstream lines{read_text(name)};
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    Json object = parse_or_discard(line);
    if (!object.is_object() && lines.eof()) {
      break;  // the last line, without its end
    }
    DFLASH_USER_CHECK(object.is_object(), "'{}:{}' is damaged: it is no JSON object", name, number);
    objects.push_back(std::move(object));
  }
  return objects;
}

Timeline RecordedRun::timeline() const {
  DFLASH_USER_CHECK(has("timeline.json"),
                    "the run in '{}' has no timeline.json: it has not ended yet, was killed, or an older version has "
                    "made it; allowed: a run that this version has made",
                    folder_.string());
  const std::string name = file("timeline.json").string();
  return read_timeline(parse_or_discard(read_text(name)), name);
}

}  // namespace dflash
