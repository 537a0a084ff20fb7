// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/report_command.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/report/report_json.h"
#include "framework/report/timeline_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class ReportCommand : public testing::Test {
 protected:
  ReportCommand() {
    write("resolved.json", R"({"graph": {"name": "train"}, "origins": {}})");
    write("report.json", text_of(report_json(make_run_report("train", RunRecord{}, 1.0))));
    write("report.txt", "the text\n");
    write("timeline.json", text_of(timeline_json({.wall_ns = 7})));
    write("metrics.jsonl", "{\"step\":1,\"loss\":2.5}\n");
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream{folder_.path() / name} << text; }
  void remove(const std::string& name) const { std::filesystem::remove(folder_.path() / name); }
  /// What a form's file holds.
  [[nodiscard]] std::string form(const std::string& format) const {
    const auto file = folder_.path() / "form";
    EXPECT_EQ(report_command({.run = folder_.path(), .format = format, .output = file, .quiet = true}), 0);
    return read_text(file);
  }
  [[nodiscard]] auto says(const std::string& words) const { return ThrowsMessage<UserError>(HasSubstr(words)); }

  TemporaryFolder folder_;
};

TEST_F(ReportCommand, MakesEachForm) {
  EXPECT_EQ(form("text"), "the text\n");
  EXPECT_EQ(parse_or_discard(form("json"))["graph"], "train");
  EXPECT_EQ(parse_or_discard(form("trace"))["otherData"]["graph"], "train");
  EXPECT_THAT(form("html"), HasSubstr(R"("name":"loss")"));
}

TEST_F(ReportCommand, APageNeedsNoTimeline) {
  remove("timeline.json");
  EXPECT_THAT(form("html"), HasSubstr("<title>train - "));
  EXPECT_THAT([&] { (void)form("trace"); }, says("has no timeline.json"));
}

TEST_F(ReportCommand, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT([&] { (void)form("htm"); }, says("unknown format 'htm'; did you mean 'html'?"));
  remove("report.txt");
  EXPECT_THAT([&] { (void)form("text"); }, says("has no report.txt; allowed: --format html, json or trace"));
  remove("report.json");
  EXPECT_THROW((void)form("html"), UserError);
}

}  // namespace
}  // namespace dflash
