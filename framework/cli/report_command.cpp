// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/report_command.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/printing.h"
#include "framework/cli/recorded_run.h"
#include "framework/cli/report_files.h"
#include "framework/cli/run_directory.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/core/nearest_name.h"
#include "framework/report/report_page.h"
#include "framework/report/trace_json.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

std::string text_form(const RecordedRun& run) {
  const fs::path file = run.path() / "report.txt";
  DFLASH_USER_CHECK(fs::is_regular_file(file),
                    "the run in '{}' has no report.txt; allowed: --format html, json or trace", run.path().string());
  return read_text(file);
}

std::string form(const RecordedRun& run, const ReportRequest& request) {
  const Json report = run.report();
  if (request.format == "json" || (request.json && request.output.empty())) {
    return text_of(report, request.json ? -1 : 2) + "\n";
  }
  if (request.format == "text") {
    return text_form(run);
  }
  if (request.format == "html") {
    // A run that was given up has none, and a page all the same.
    const bool has_timeline = fs::is_regular_file(run.path() / "timeline.json");
    return report_page(report, has_timeline ? run.timeline() : Timeline{}, run.metrics());
  }
  std::ostringstream trace;
  const TraceGaps gaps = write_trace(run.timeline(), report.value("graph", ""), trace);
  const std::string note = gaps_text(gaps);
  if (!note.empty() && !request.quiet) {
    print_error("{}\n", note);
  }
  return std::move(trace).str();
}

}  // namespace

int report_command(const ReportRequest& request) {
  const std::vector<std::string> formats{"text", "html", "json", "trace"};
  DFLASH_USER_CHECK(std::ranges::find(formats, request.format) != formats.end(), "unknown format '{}'{}",
                    request.format, suggestion(request.format, formats));
  RunDirectory::check_output(request.output);
  const RecordedRun run{request.run};
  const std::string text = form(run, request);
  if (request.output.empty()) {
    write_result(text);
    return 0;
  }
  write_output(request.output, text);
  if (request.json) {
    const Json result{
        {"run_dir", run.path().string()}, {"format", request.format}, {"output", request.output.string()}};
    print("{}\n", text_of(result));
  }
  return 0;
}

}  // namespace dflash
