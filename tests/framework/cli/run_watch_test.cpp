// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_watch.h"

#include <csignal>
#include <future>
#include <string>

#include <gmock/gmock.h>

namespace dflash {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RunWatchTest : public ::testing::Test {
 protected:
  Progress progress_{ProgressStyle::kRewrite, [this](const std::string& text) { printed_ += text; }};
  std::string printed_;
  static ProgressSample sample() { return {.steps = 7, .total_steps = 10}; }
};

TEST_F(RunWatchTest, ShowsNothingBeforeTheRunIsUnderWay) {
  RunWatch watch{progress_, {.sample = sample, .stop = [] {}}};
  watch.finish();
  EXPECT_THAT(printed_, IsEmpty());
}

TEST_F(RunWatchTest, ShowsTheLastStateWhenItEnds) {
  RunWatch watch{progress_, {.sample = sample, .stop = [] {}}};
  watch.begin_progress();
  watch.finish();
  EXPECT_THAT(printed_, HasSubstr("step 7/10"));
}

TEST_F(RunWatchTest, AsksTheRunToStopOnceTheUserDoes) {
  std::promise<void> stopped;
  RunWatch watch{progress_, {.sample = sample, .stop = [&] { stopped.set_value(); }}};
  std::raise(SIGINT);
  stopped.get_future().wait();
  watch.finish();
  EXPECT_THAT(printed_, HasSubstr("stopping"));
}

TEST_F(RunWatchTest, PrintsLinesOfOthers) {
  RunWatch watch{progress_, {.sample = sample, .stop = [] {}}};
  watch.say("checkpoint");
  watch.finish();
  EXPECT_EQ(printed_, "checkpoint\n");
}

}  // namespace
}  // namespace dflash
