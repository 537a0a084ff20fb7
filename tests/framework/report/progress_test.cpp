// SPDX-License-Identifier: Apache-2.0
#include "framework/report/progress.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace dflash {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ProgressSample sample_at(std::int64_t steps, double elapsed_s) {
  return {.elapsed_s = elapsed_s,
          .steps = steps,
          .total_steps = 800,
          .metrics = {{"loss", 2.31414}, {"tokens_per_s", 7421.0}, {"lr", 0.001}},
          .busiest_stage = "drafter",
          .busiest_share = 0.971};
}

struct Printed {
  std::vector<std::string> texts;
  Progress::Write write() {
    return [this](const std::string& text) { texts.push_back(text); };
  }
};

TEST(ProgressText, SaysStepsSpeedLossTimeLeftAndTheBusiestStage) {
  EXPECT_EQ(progress_text(sample_at(120, 16.0)),
            "step 120/800 (15 %)  7.42K tok/s  loss 2.3141  left 90.7 s  lately busiest: drafter 97 %");
}

TEST(ProgressText, LeavesOutWhatIsNotKnown) { EXPECT_EQ(progress_text({.steps = 7}), "step 7"); }

TEST(ProgressText, CountsTheTimeLeftByTheStepsOfThisRun) {
  ProgressSample sample = sample_at(700, 10.0);
  sample.first_step = 600;
  EXPECT_THAT(progress_text(sample), HasSubstr("left 10.0 s"));
}

TEST(ProgressText, CountsTheWorkOfTheDataWhereStepsHaveNoBound) {
  ProgressSample sample{
      .elapsed_s = 10.0, .steps = 3, .work = {.unit = "rows", .total = 800, .first = 100, .done = 200}};
  EXPECT_EQ(progress_text(sample), "rows 200/800 (25 %)  left 60.0 s");
  sample.work.unit = "";  // nobody works it off
  EXPECT_EQ(progress_text(sample), "step 3");
  sample.work.unit = "rows";
  sample.work.total = 0;
  EXPECT_EQ(progress_text(sample), "rows 200");
  sample.work.total = 800;
  sample.total_steps = 6;
  EXPECT_EQ(progress_text(sample), "step 3/6 (50 %)  left 10.0 s");
}

TEST(Progress, PrintsALineEveryTenSeconds) {
  Printed printed;
  Progress progress{ProgressStyle::kLines, printed.write()};
  for (int second = 1; second <= 25; ++second) {
    progress.update(sample_at(1, second));
  }
  EXPECT_THAT(printed.texts, SizeIs(2));
}

TEST(Progress, PrintsALineAtEachTenthOfTheSteps) {
  Printed printed;
  Progress progress{ProgressStyle::kLines, printed.write()};
  for (int step = 1; step <= 800; ++step) {
    progress.update(sample_at(step, 0.001 * step));
  }
  progress.finish(sample_at(800, 0.8));
  EXPECT_THAT(printed.texts, SizeIs(10));
  EXPECT_THAT(printed.texts.back(), HasSubstr("step 800/800 (100 %)"));
}

TEST(Progress, SaysTheLastStepOfAnEarlyEnd) {
  Printed printed;
  Progress progress{ProgressStyle::kLines, printed.write()};
  progress.update(sample_at(10, 0.1));
  progress.finish(sample_at(11, 0.2));
  ASSERT_THAT(printed.texts, SizeIs(1));
  EXPECT_THAT(printed.texts[0], HasSubstr("step 11/800"));
}

TEST(Progress, RewritesOneLineAndCoversALongerOneBefore) {
  Printed printed;
  Progress progress{ProgressStyle::kRewrite, printed.write()};
  progress.update({.steps = 1000});
  progress.update({.steps = 2});
  progress.finish({.steps = 3});
  EXPECT_THAT(printed.texts, ElementsAre("\rstep 1000", "\rstep 2   ", "\rstep 3", "\n"));
}

TEST(Progress, NeverFillsTheTerminalsLastColumn) {
  Printed printed;
  Progress progress{ProgressStyle::kRewrite, printed.write(), 20};
  progress.update(sample_at(120, 16.0));
  EXPECT_THAT(printed.texts[0], SizeIs(1 + 19));
}

TEST(Progress, SaysALineInPlaceOfTheRewritingOne) {
  Printed printed;
  Progress progress{ProgressStyle::kRewrite, printed.write()};
  progress.update({.steps = 1000});
  progress.say("saved");
  EXPECT_EQ(printed.texts.back(), "\rsaved    \n");
}

TEST(Progress, SaysEveryTenSecondsWhatIsDoneInPlaceOfSteps) {
  Printed printed;
  Progress progress{ProgressStyle::kLines, printed.write()};
  for (int second = 0; second <= 25; ++second) {
    progress.busy("evaluating: 1 of 64 prompts", second);
  }
  EXPECT_THAT(printed.texts, ElementsAre("evaluating: 1 of 64 prompts\n", "evaluating: 1 of 64 prompts\n"));
  progress.idle();
  progress.busy("evaluating", 9.0);
  EXPECT_THAT(printed.texts, SizeIs(2));
}

TEST(Progress, TakesTheActivityOffTheTerminalOnceItIsOver) {
  Printed printed;
  Progress progress{ProgressStyle::kRewrite, printed.write()};
  progress.busy("busy", 0.0);
  progress.idle();
  progress.idle();
  EXPECT_THAT(printed.texts, ElementsAre("\rbusy", "\r    \r"));
}

TEST(Progress, IsSilentWhenAsked) {
  Printed printed;
  Progress progress{ProgressStyle::kNone, printed.write()};
  progress.update(sample_at(400, 100.0));
  progress.say("saved");
  progress.busy("evaluating", 100.0);
  progress.idle();
  progress.finish(sample_at(800, 200.0));
  EXPECT_THAT(printed.texts, IsEmpty());
}

}  // namespace
}  // namespace dflash
