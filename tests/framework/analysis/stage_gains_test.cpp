// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/stage_gains.h"

#include <gmock/gmock.h>

#include "framework/analysis/pipeline_replay.h"
#include "tests/framework/analysis/hand_made_timeline.h"

namespace dflash {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

using Times = std::vector<std::int64_t>;

Timeline recorded_chain(std::int64_t work, std::int64_t step) {
  HandMadeTimeline made;
  made.stage("data", Times(50, 10));
  made.stage("work", Times(50, work));
  made.stage("step", Times(50, step));
  made.edge(0, 1, 2);
  made.edge(1, 2, 2);
  made.lane("cpu").workers = 8;
  return replay(model_of(made.timeline)).timeline;
}

TEST(StageGains, PutTheStageFirstWhoseSpeedCounts) {
  const std::vector<StageGain> gains = stage_gains(recorded_chain(400, 250));
  ASSERT_THAT(gains, SizeIs(3));
  EXPECT_EQ(gains[0].stage, "work");
  EXPECT_NEAR(gains[0].gain, 1.6, 0.05);  // then the step limits
  EXPECT_NEAR(gains[1].gain, 1.0, 0.02);
}

TEST(StageGains, AreTheSameOfAModelAndOfWhatItsReplayRecords) {
  PipelineModel model = model_of(chain_of({Times(50, 100), Times(50, 400), Times(50, 80), Times(50, 70)}, 2).timeline);
  model.stages[1].speed = 8.0;
  const Replayed run = replay(model);
  const std::vector<StageGain> of_model = stage_gains(model, run);
  const std::vector<StageGain> of_timeline = stage_gains(run.timeline);
  ASSERT_THAT(of_model, SizeIs(of_timeline.size()));
  for (std::size_t i = 0; i < of_model.size(); ++i) {
    EXPECT_EQ(of_model[i].stage, of_timeline[i].stage);
    EXPECT_DOUBLE_EQ(of_model[i].gain, of_timeline[i].gain);
  }
}

TEST(StageGains, LeaveTheTimeBetweenStepsAsItWas) {
  HandMadeTimeline made;
  made.stage("data", Times(10, 1));
  made.stage("step", Times(10, 6));
  made.edge(0, 1, 2);
  made.steps(1, 10);
  made.between_steps(1, 5, 59);
  const std::vector<StageGain> gains = stage_gains(replay(model_of(made.timeline)).timeline);
  ASSERT_THAT(gains, SizeIs(2));
  EXPECT_EQ(gains[0].stage, "step");
  EXPECT_DOUBLE_EQ(gains[0].gain, 120.0 / 90.0);
}

TEST(StageGains, AreNoneWhereTheReplayIsNotTheRun) {
  Timeline timeline = recorded_chain(400, 250);
  timeline.wall_ns *= 2;
  EXPECT_THAT(stage_gains(timeline), IsEmpty());
  EXPECT_THAT(stage_gains({}), IsEmpty());
}

// A source that is twice as fast runs out of items, since an edge drops what the step cannot take in time: no step ends
// the run then.
TEST(StageGains, LeaveOutAStageWithWhichTheRunWouldStandStill) {
  HandMadeTimeline made;
  made.stage("data", Times(50, 100));
  made.stage("step", Times(50, 90));
  made.edge(0, 1, {.capacity = 1, .blocks = false});
  made.steps(1, 50);
  made.lane("cpu").workers = 8;
  const std::vector<StageGain> gains = stage_gains(replay(model_of(made.timeline)).timeline);
  ASSERT_THAT(gains, SizeIs(1));
  EXPECT_EQ(gains[0].stage, "step");
  EXPECT_NEAR(gains[0].gain, 1.0, 0.02);
}

RunReport report_with(VerdictKind kind, const std::string& stage, std::int64_t work, std::int64_t step) {
  const Replayed run = replay(model_of(recorded_chain(work, step)));
  RunReport report;
  report.verdict = {.text = "As it was.", .stage = stage, .kind = kind};
  report.record = run.record;
  report.record.timeline = run.timeline;
  return report;
}

TEST(StageGains, DecideForABalancedRunWhereOneStageStandsOut) {
  RunReport report = report_with(VerdictKind::kBalanced, "step", 400, 250);
  weigh_stages(report);
  EXPECT_EQ(report.verdict.stage, "work");
  EXPECT_EQ(report.verdict.kind, VerdictKind::kCpuBody);
  EXPECT_THAT(report.verdict.text,
              StartsWith("Stage 'work' is the bottleneck (cpu body): if it were twice as fast, the "
                         "run would be 1.5"));
}

TEST(StageGains, LeaveARunBalancedThatIs) {
  RunReport report = report_with(VerdictKind::kBalanced, "step", 400, 390);
  weigh_stages(report);
  EXPECT_EQ(report.verdict.text, "As it was.");
  EXPECT_THAT(report.gains, SizeIs(3));
}

TEST(StageGains, LeaveAClearVerdictItsStage) {
  RunReport report = report_with(VerdictKind::kCpuBody, "step", 400, 250);
  weigh_stages(report);
  EXPECT_EQ(report.verdict.stage, "step");
  EXPECT_EQ(report.verdict.text, "As it was.");
}

}  // namespace
}  // namespace dflash
