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
    const RunDirectory directory{folder_.path() / "run", RunDirectory::Existing::kRefuse};
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    RunOutput{request}.result(directory, report_json(make_run_report("g", record, 1.0)), "table\n");
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
