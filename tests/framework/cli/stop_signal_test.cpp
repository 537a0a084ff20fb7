// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/stop_signal.h"

#include <csignal>

#include <gmock/gmock.h>

namespace dflash {
namespace {

TEST(StopSignal, NotesTheFirstSignal) {
  const StopSignal signal;
  EXPECT_FALSE(signal.seen());
  std::raise(SIGINT);
  EXPECT_TRUE(signal.seen());
}

TEST(StopSignal, NotesATerminationToo) {
  const StopSignal signal;
  std::raise(SIGTERM);
  EXPECT_TRUE(signal.seen());
}

TEST(StopSignal, ForgetsTheSignalsOfAnEarlierRun) {
  {
    const StopSignal signal;
    std::raise(SIGINT);
  }
  EXPECT_FALSE(StopSignal{}.seen());
}

TEST(StopSignalDeathTest, EndsTheProcessAtTheSecondSignal) {
  EXPECT_EXIT(
      {
        const StopSignal signal;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace dflash
