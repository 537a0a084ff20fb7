// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/stop_signal.h"

#include <csignal>

#include <gmock/gmock.h>

namespace dflash {
namespace {

TEST(StopSignal, CountsTheFirstTwoSignals) {
  const StopSignal signal;
  EXPECT_EQ(StopSignal::count(), 0);
  std::raise(SIGINT);
  EXPECT_EQ(StopSignal::count(), 1);
  std::raise(SIGINT);
  EXPECT_EQ(StopSignal::count(), 2);
}

TEST(StopSignal, CountsATerminationAndAClosedTerminalToo) {
  const StopSignal signal;
  std::raise(SIGTERM);
  std::raise(SIGHUP);
  EXPECT_EQ(StopSignal::count(), 2);
}

TEST(StopSignal, LeavesAHangUpAloneThatIsIgnoredAlready) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const StopSignal signal;
    std::raise(SIGHUP);
    EXPECT_EQ(StopSignal::count(), 0);
  }
  std::signal(SIGHUP, before);
}

TEST(StopSignal, ForgetsTheSignalsOfAnEarlierRun) {
  {
    const StopSignal signal;
    std::raise(SIGINT);
  }
  const StopSignal signal;
  EXPECT_EQ(StopSignal::count(), 0);
}

TEST(StopSignalDeathTest, EndsTheProcessAtTheThirdSignal) {
  EXPECT_EXIT(
      {
        const StopSignal signal;
        for (int i = 0; i < 3; ++i) {
          std::raise(SIGINT);
        }
      },
      ::testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace dflash
