// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/printing.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

/// A pipe whose reader has gone away.
std::FILE* closed_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) {
    return nullptr;
  }
  ::close(ends[0]);
  return ::fdopen(ends[1], "w");
}

TEST(Printing, WritesAtOnce) {
  ::testing::internal::CaptureStdout();
  print("{} and {}\n", 1, "two");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "1 and two\n");
  EXPECT_EQ(output_error(), 0);
}

TEST(Printing, LosesWhatNobodyReadsAndGoesOn) {
  ignore_write_signals();
  std::FILE* pipe = closed_pipe();
  ASSERT_NE(pipe, nullptr);
  write_text(pipe, "into the void\n");
  EXPECT_NE(std::ferror(pipe), 0);
  write_text(pipe, "again\n");
  std::fclose(pipe);
}

TEST(Printing, MeetsALimitOnFilesAsAnErrorOfThatWrite) {
  ignore_write_signals();
  const TemporaryFolder folder;
  const rlimit small{.rlim_cur = 4, .rlim_max = RLIM_INFINITY};
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  std::FILE* file = std::fopen((folder.path() / "f").c_str(), "w");
  ASSERT_NE(file, nullptr);
  ::setrlimit(RLIMIT_FSIZE, &small);
  write_text(file, "more than four letters");
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(std::ferror(file), 0);
  std::fclose(file);
}

void end_with_output_error_of(const char* file, bool is_result) {
  if (std::freopen(file, "w", stdout) != nullptr) {
    is_result ? print("something\n") : write_text(stdout, "something\n");
  }
  std::_Exit(output_error());
}

TEST(PrintingDeathTest, KnowsWhyAResultWasNotTaken) {
  EXPECT_EXIT(end_with_output_error_of("/dev/full", true), ::testing::ExitedWithCode(ENOSPC), "");
  EXPECT_EXIT(end_with_output_error_of("/dev/null", true), ::testing::ExitedWithCode(0), "");
}

TEST(PrintingDeathTest, DoesNotMindLosingProgress) {
  EXPECT_EXIT(end_with_output_error_of("/dev/full", false), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dflash
