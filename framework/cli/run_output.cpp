// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_output.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/printing.h"
#include "framework/core/json_syntax.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr std::size_t kDefaultColumns = 120;
constexpr std::size_t kMostColumns = 140;

std::size_t columns_of(std::FILE* file) {
  winsize size{};
  return ::ioctl(::fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kDefaultColumns;
}

ProgressStyle style_for(bool quiet, std::FILE* file) {
  if (quiet) {
    return ProgressStyle::kNone;
  }
  return ::isatty(::fileno(file)) != 0 ? ProgressStyle::kRewrite : ProgressStyle::kLines;
}

Json result_json(const RunDirectory& directory, const Json& report) {
  Json json{
      {"outcome", report.value("outcome", Json::object())}, {"run_dir", directory.path().string()},
      {"report", directory.report_json().string()},         {"training", report.value("training", Json::object())},
      {"notes", report.value("notes", Json::object())},     {"verdict", report.value("verdict", Json::object())}};
  return json;
}

}  // namespace

RunOutput::RunOutput(const RunRequest& request)
    : quiet_{request.quiet},
      json_{request.json},
      out_{request.json ? stderr : stdout},
      style_{style_for(request.quiet, out_)},
      columns_{columns_of(out_)} {}

Progress::Write RunOutput::writer() const {
  return [out = out_](const std::string& text) { write_text(out, text); };
}

void RunOutput::say(const std::string& line) const {
  if (!quiet_ && !line.empty()) {
    writer()(line + "\n");
  }
}

void RunOutput::warn(const std::vector<std::string>& warnings) const {
  for (const std::string& warning : quiet_ ? std::vector<std::string>{} : warnings) {
    print_error("warning: {}\n", warning);
  }
}

void RunOutput::result(const RunDirectory& directory, const Json& report, const std::string& summary) const {
  for (const Json& error : report.at("errors")) {
    print_error("error: {}\n", error.get<std::string>());
  }
  if (!summary.empty()) {
    say(summary.ends_with('\n') ? summary : summary + "\n");
  }
  const Json notes = report.value("notes", Json::object());
  for (const auto& [stage, note] : notes.items()) {
    say(note.get<std::string>());
  }
  say_code(report);
  if (!quiet_) {
    writer()(
        wrapped("verdict: ", report.at("verdict").at("text").get<std::string>(), std::min(columns_, kMostColumns)));
    writer()(fmt::format("report:  {}\n", directory.report_text().string()));
    if (std::filesystem::exists(directory.report_page())) {
      writer()(fmt::format("page:    {}\n", directory.report_page().string()));
    }
  }
  if (json_) {
    print("{}\n", text_of(result_json(directory, report)));
  }
}

void RunOutput::say_code(const Json& report) const {
  const Json& outcome = report.at("outcome");
  const Json& errors = report.at("errors");
  if (outcome.at("code") == 0) {
    return;
  }
  const bool told = std::find(errors.begin(), errors.end(), outcome.at("text")) != errors.end();
  say(fmt::format("run ended with code {}{}", outcome.at("code").get<int>(),
                  told ? "" : ": " + outcome.at("text").get<std::string>()));
}

int RunOutput::already_finished(const RunDirectory& directory) const {
  if (json_) {
    const Json report = parse_or_discard(read_text(directory.report_json()));
    print("{}\n", text_of(result_json(directory, report)));
  }
  return 0;
}

}  // namespace dflash
