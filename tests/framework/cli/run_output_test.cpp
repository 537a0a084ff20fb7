// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_output.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/report/report_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Printed {
  std::string out;
  std::string err;
};

class RunOutputTest : public ::testing::Test {
 protected:
  Printed print(const RunRequest& request, const RunRecord& record) const {
    return print(request, report_json(make_run_report("g", record, 1.0)));
  }
  Printed print(const RunRequest& request, const Json& report) const {
    const RunDirectory directory{folder_.path() / "run", RunDirectory::Existing::kRefuse};
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    RunOutput{request}.result(directory, report, "table\n");
    return {.out = ::testing::internal::GetCapturedStdout(), .err = ::testing::internal::GetCapturedStderr()};
  }
  static RunRecord failed() {
    RunRecord record;
    record.outcome = {.code = 1, .text = "stage 'a' failed"};
    record.errors = {"stage 'a', firing 7: no paper"};
    return record;
  }
  TemporaryFolder folder_;
};

TEST_F(RunOutputTest, PutsErrorsOnStandardErrorAlone) {
  const Printed printed = print({}, failed());
  EXPECT_EQ(printed.err, "error: stage 'a', firing 7: no paper\n");
  EXPECT_THAT(printed.out, HasSubstr("run ended with code 1: stage 'a' failed"));
}

TEST_F(RunOutputTest, TellsACauseOnce) {
  RunRecord record = failed();
  record.errors = {record.outcome.text};
  const Printed printed = print({}, record);
  EXPECT_EQ(printed.err, "error: stage 'a' failed\n");
  EXPECT_THAT(printed.out, HasSubstr("run ended with code 1\n"));
}

TEST_F(RunOutputTest, PrintsWhatStagesNoteBeforeTheVerdict) {
  RunReport report = make_run_report("g", RunRecord{}, 1.0);
  report.summaries = {{"notes", {{"write", "3 rows\n7 left out"}}}};
  const Printed printed = print({}, report_json(report));
  EXPECT_THAT(printed.out, HasSubstr("table\n\n3 rows\n7 left out\nverdict: "));
  EXPECT_THAT(print({.json = true}, report_json(report)).out, HasSubstr(R"("notes":{"write":"3 rows\n7 left out"})"));
}

TEST_F(RunOutputTest, PrintsErrorsEvenWhenQuiet) {
  const Printed printed = print({.quiet = true}, failed());
  EXPECT_EQ(printed.out, "");
  EXPECT_THAT(printed.err, HasSubstr("no paper"));
}

TEST_F(RunOutputTest, KeepsStandardOutputForTheObjectAlone) {
  const Printed printed = print({.json = true}, RunRecord{});
  EXPECT_TRUE(Json::accept(printed.out));
  EXPECT_THAT(printed.err, HasSubstr("table\n"));
}

TEST_F(RunOutputTest, ShowsPlainLinesWhereThereIsNoTerminal) {
  ::testing::internal::CaptureStdout();
  const RunOutput output{RunRequest{}};
  EXPECT_EQ(output.style(), ProgressStyle::kLines);
  ::testing::internal::GetCapturedStdout();
  EXPECT_EQ((RunOutput{RunRequest{.quiet = true}}.style()), ProgressStyle::kNone);
}

}  // namespace
}  // namespace dflash
