// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_watch.h"

#include <csignal>
#include <future>
#include <string>

#include <gmock/gmock.h>

#include "framework/cli/stop_signal.h"

namespace dflash {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RunWatchTest : public ::testing::Test {
 protected:
  const StopSignal signal_;
  Progress progress_{ProgressStyle::kRewrite, [this](const std::string& text) { printed_ += text; }};
  std::string printed_;
  RunWatch::Callbacks callbacks_{.sample = [] { return ProgressSample{.steps = 7, .total_steps = 10}; },
                                 .activity = [] { return std::string{}; },
                                 .stop = [] {},
                                 .stop_at_once = [] {},
                                 .end_if_stalled = [] {},
                                 .give_up = [] {}};
};

TEST_F(RunWatchTest, ShowsNothingBeforeTheRunIsUnderWay) {
  {
    RunWatch watch{progress_, callbacks_};
  }
  EXPECT_THAT(printed_, IsEmpty());
}

TEST_F(RunWatchTest, ShowsTheLastStateWhenItEnds) {
  RunWatch watch{progress_, callbacks_};
  watch.begin_progress();
  watch.end_progress();
  EXPECT_THAT(printed_, HasSubstr("step 7/10"));
}

TEST_F(RunWatchTest, ShowsAnActivityWhereNoFiringIsUnderWayAndTakesItOff) {
  std::promise<void> looked;
  callbacks_.activity = [&, first = true]() mutable {
    if (!std::exchange(first, false)) {
      return std::string{"evaluating: 1 of 2"};
    }
    looked.set_value();
    return std::string{"evaluating: 0 of 2"};
  };
  {
    RunWatch watch{progress_, callbacks_};
    looked.get_future().wait();
  }
  EXPECT_THAT(printed_, HasSubstr("\revaluating: 0 of 2"));
  EXPECT_TRUE(printed_.ends_with("\r                  \r"));
}

TEST_F(RunWatchTest, AsksTheRunToStopOnceTheUserDoes) {
  std::promise<void> stopped;
  callbacks_.stop = [&] { stopped.set_value(); };
  {
    RunWatch watch{progress_, callbacks_};
    std::raise(SIGINT);
    stopped.get_future().wait();
  }
  EXPECT_THAT(printed_, HasSubstr("stopping: "));
}

TEST_F(RunWatchTest, StopsAtOnceTheSecondTimeAndGivesUpWhereTheRunGoesOn) {
  std::promise<void> stopped;
  std::promise<void> gave_up;
  callbacks_.stop_at_once = [&] { stopped.set_value(); };
  callbacks_.give_up = [&, first = true]() mutable {
    if (std::exchange(first, false)) {
      gave_up.set_value();
    }
  };
  callbacks_.patience = std::chrono::milliseconds{0};
  {
    RunWatch watch{progress_, callbacks_};
    std::raise(SIGINT);
    std::raise(SIGINT);
    stopped.get_future().wait();
    gave_up.get_future().wait();
  }
  EXPECT_THAT(printed_, HasSubstr("stopping now"));
}

TEST_F(RunWatchTest, HeedsTheUserAfterTheProgressHasEnded) {
  std::promise<void> stopped;
  callbacks_.stop = [&] { stopped.set_value(); };
  RunWatch watch{progress_, callbacks_};
  watch.begin_progress();
  watch.end_progress();
  std::raise(SIGINT);
  stopped.get_future().wait();
}

TEST_F(RunWatchTest, LooksForAStallWhileTheRunIsUnderWay) {
  std::promise<void> looked;
  callbacks_.end_if_stalled = [&, first = true]() mutable {
    if (std::exchange(first, false)) {
      looked.set_value();
    }
  };
  RunWatch watch{progress_, callbacks_};
  watch.begin_progress();
  looked.get_future().wait();
}

TEST_F(RunWatchTest, PrintsLinesOfOthers) {
  {
    RunWatch watch{progress_, callbacks_};
    watch.say("checkpoint");
  }
  EXPECT_EQ(printed_, "checkpoint\n");
}

}  // namespace
}  // namespace dflash
