// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/recorded_run.h"

#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/report/timeline_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RecordedRunTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream{folder_.path() / name} << text; }
  [[nodiscard]] RecordedRun run() const { return RecordedRun{folder_.path()}; }
  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

TEST_F(RecordedRunTest, RefusesWhatIsNoRunDirectory) {
  const std::string missing = (folder_.path() / "gone").string();
  EXPECT_EQ(error_of([&] { RecordedRun{missing}; }), "there is no run directory '" + missing + "'");
  EXPECT_THAT(error_of([&] { (void)run(); }), HasSubstr("is not a run directory (it has no resolved.json)"));
  write("report.json", "{}");
  EXPECT_THAT(error_of([&] { RecordedRun{folder_.path() / "report.json"}; }),
              HasSubstr("report.json' is a file; allowed: the directory of a run"));
  write("resolved.json", "{}");
  EXPECT_THAT(error_of([&] { RecordedRun{folder_.path() / "report.json"}; }),
              HasSubstr("did you mean '" + folder_.path().string() + "'?"));
}

TEST_F(RecordedRunTest, ReadsAllFilesOfARun) {
  write("resolved.json", R"({"graph": {"name": "g"}, "origins": {}})");
  write("report.json", R"({"schema": "dflash-report/1", "wall_s": 2.5})");
  write("metrics.jsonl", "{\"step\": 1}\n{\"event\": \"evaluation\"}\n");
  write("timeline.json", timeline_json({.wall_ns = 7}).dump());
  EXPECT_EQ(run().graph().at("name"), "g");
  EXPECT_EQ(run().report().at("wall_s"), 2.5);
  EXPECT_THAT(run().metrics(), SizeIs(2));
  EXPECT_EQ(run().metrics().at(1).at("event"), "evaluation");
  EXPECT_EQ(run().timeline().wall_ns, 7);
}

TEST_F(RecordedRunTest, SaysWhatARunLacks) {
  write("resolved.json", R"({"graph": {}})");
  EXPECT_THAT(error_of([&] { (void)run().report(); }), HasSubstr("has no report.json: it has not ended yet"));
  EXPECT_THAT(error_of([&] { (void)run().timeline(); }),
              HasSubstr("has no timeline.json: it has not ended yet, was killed, or an older version has made it"));
  EXPECT_THAT(run().metrics(), IsEmpty());
}

TEST_F(RecordedRunTest, NamesADamagedFile) {
  write("resolved.json", R"({"graph": 3})");
  write("report.json", R"({"schema": "dflash-report/9"})");
  write("timeline.json", "{\"schema\": ");
  EXPECT_THAT(error_of([&] { (void)run().graph(); }), HasSubstr("resolved.json' is damaged: its graph is no object"));
  EXPECT_THAT(error_of([&] { (void)run().report(); }),
              HasSubstr("found schema 'dflash-report/9', allowed: 'dflash-report/1'"));
  EXPECT_THAT(error_of([&] { (void)run().timeline(); }), HasSubstr("timeline.json' is damaged"));
}

TEST_F(RecordedRunTest, LeavesOutALastLineThatWasCutShort) {
  write("resolved.json", R"({"graph": {}})");
  write("metrics.jsonl", "{\"step\": 1}\n{\"step\": 2}\n{\"st");
  EXPECT_THAT(run().metrics(), SizeIs(2));
  write("metrics.jsonl", "{\"step\": 1}\n{\"st\n{\"step\": 3}\n");
  EXPECT_THAT(error_of([&] { (void)run().metrics(); }), HasSubstr("metrics.jsonl:2' is damaged"));
}

}  // namespace
}  // namespace dflash
