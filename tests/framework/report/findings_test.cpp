// SPDX-License-Identifier: Apache-2.0
#include "framework/report/findings.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "tests/framework/report/simulated_chain.h"

namespace dflash {
namespace {

using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The chain's stage `slow` on a device: its body launches, its work takes the time.
RunRecord on_device(std::int64_t launch_ns, std::int64_t span_ns) {
  RunRecord record = simulate(constant_chain({"a", "slow", "c"}, {500, 2000, 500}, 100));
  StageRecord& slow = record.stages[1];
  slow.device_firings = 100;
  slow.gpu_wait_ns = slow.busy_ns - 100 * launch_ns;
  slow.busy_ns = 100 * launch_ns;
  for (int i = 0; i < 100; ++i) {
    slow.gpu_span.record(span_ns);
  }
  slow.gpu_in_work_ns = slow.busy_ns + std::min(slow.gpu_wait_ns, slow.gpu_span.sum());
  return record;
}

TEST(Findings, TellsTheDevicesTimeFromTheHosts) {
  EXPECT_EQ(judge(on_device(100, 2000)).kind, VerdictKind::kGpuSpan);
  EXPECT_EQ(judge(on_device(100, 2000)).stage, "slow");
  EXPECT_EQ(judge(on_device(2000, 300)).kind, VerdictKind::kLaunch);
  EXPECT_EQ(judge(on_device(1950, 2000)).kind, VerdictKind::kLaunch)
      << "its span has holes, where the device waits for the host";
}

TEST(Findings, CallsItTheDevicesTimeWhereTheBodyWaitsForItsOwnKernels) {
  RunRecord record = on_device(1950, 2000);
  record.stages[1].gpu_lag_ns = 100 * 1000;
  EXPECT_EQ(judge(record).kind, VerdictKind::kGpuSpan);
}

TEST(Findings, DoesNotBlameABodyThatWaitsForItsInputsInItsLaunch) {
  RunRecord record = on_device(100, 2000);
  StageRecord& reader = record.stages[2];  // busy all the time
  reader.device_firings = 100;
  reader.gpu_in_work_ns = reader.busy_ns;
  reader.busy_ns += reader.starved_in_ns;
  reader.hidden_launch_ns = reader.starved_in_ns;
  reader.starved_in_ns = 0;
  reader.starved_by.clear();
  const Verdict verdict = judge(record);
  EXPECT_EQ(verdict.stage, "slow");
  EXPECT_EQ(verdict.kind, VerdictKind::kGpuSpan);
  EXPECT_THAT(verdict.share, Gt(0.9));
}

// Its host is never seen to wait for others: it launches, and then waits for its own work, which goes on meanwhile.
TEST(Findings, DoesNotBlameAStageWhoseBodiesFillTheTimeInWhichItsDeviceWaits) {
  RunRecord record = on_device(100, 2000);
  StageRecord& reader = record.stages[2];
  reader.device_firings = 100;
  reader.gpu_wait_ns = reader.starved_in_ns / 2;
  reader.busy_ns += reader.starved_in_ns - reader.gpu_wait_ns;
  reader.starved_in_ns = 0;
  reader.starved_by.clear();
  for (int i = 0; i < 100; ++i) {
    reader.gpu_span.record(1300);
  }
  reader.gpu_in_work_ns = reader.busy_ns + reader.gpu_wait_ns;
  ASSERT_GT(reader.utilisation(record.wall_ns), 0.99);
  const Verdict verdict = judge(record);
  EXPECT_EQ(verdict.stage, "slow");
  EXPECT_EQ(verdict.kind, VerdictKind::kGpuSpan);
  EXPECT_THAT(verdict.share, Gt(0.7));
}

TEST(Findings, DoesNotBlameAStageWhoseWorkQueuesOnTheDeviceForItsInputs) {
  RunRecord record = on_device(100, 2000);
  StageRecord& reader = record.stages[2];  // its host runs ahead, and waits for its own firings, which have not begun
  reader.device_firings = 100;
  reader.gpu_wait_ns = reader.starved_in_ns;
  reader.starved_in_ns = 0;
  reader.starved_by.clear();
  for (int i = 0; i < 100; ++i) {
    reader.gpu_span.record(50);
  }
  reader.gpu_in_work_ns = reader.busy_ns + reader.gpu_span.sum();
  const Verdict verdict = judge(record);
  EXPECT_EQ(verdict.stage, "slow");
  EXPECT_THAT(verdict.share, Gt(0.9));
  EXPECT_THAT(verdict.text, HasSubstr("that stage 'slow' allows"));
}

TEST(Findings, BlamesWhoMakesAnInputOnTheDeviceAndNotWhoWaitsForIt) {
  RunRecord record = on_device(100, 2000);
  StageRecord& reader = record.stages[2];  // all its waiting for input was waiting for the device
  reader.gpu_wait_ns = reader.starved_in_ns;
  reader.unmade_by = reader.starved_by;
  reader.starved_in_ns = 0;
  reader.starved_by.clear();
  EXPECT_EQ(judge(record).stage, "slow");
  EXPECT_THAT(judge(record).share, Gt(0.9));
}

/// A source before a drafter that is busy 90 % of the time, of which it evaluates `between`.
RunRecord evaluating(std::int64_t between) {
  RunRecord record{.wall_ns = 100'000};
  record.stages = {{.name = "source", .lane = "cpu", .firings = 10, .busy_ns = 10'000, .blocked_out_ns = 90'000},
                   {.name = "drafter",
                    .lane = "cpu",
                    .firings = 10,
                    .busy_ns = 90'000,
                    .between_ns = between,
                    .starved_in_ns = 10'000}};
  record.stages[0].blocked_by = {{.edge = 0, .ns = 90'000}};
  record.stages[1].starved_by = {{.edge = 0, .ns = 10'000}};
  record.edges = {{.name = "source.out->drafter.in", .from_stage = 0, .to_stage = 1, .capacity_items = 2, .items = 10}};
  return record;
}

TEST(Findings, TellsWhatIsDoneBetweenStepsFromAStagesBody) {
  const Verdict mostly = judge(evaluating(50'000));
  EXPECT_EQ(mostly.stage, "drafter");
  EXPECT_EQ(mostly.kind, VerdictKind::kBetweenSteps);
  EXPECT_THAT(mostly.text, StartsWith("Stage 'drafter' is the bottleneck (between steps): busy 90 % of its time, of "
                                      "which 56 % between steps (evaluation, checkpoint), and the cause of "));
  const Verdict partly = judge(evaluating(9'000));
  EXPECT_EQ(partly.kind, VerdictKind::kCpuBody);
  EXPECT_THAT(partly.text, HasSubstr("busy 90 % of its time, of which 10 % between steps (evaluation, checkpoint), "));
  EXPECT_THAT(judge(evaluating(900)).text, HasSubstr("busy 90 % of its time and the cause of "));
}

TEST(Findings, CountsWhatIsDoneBetweenStepsBesideADevicesWork) {
  RunRecord record = on_device(100, 2000);
  StageRecord& slow = record.stages[1];
  const std::int64_t without = slow.used_ns();
  slow.between_ns = record.wall_ns / 4;
  slow.busy_ns += slow.between_ns;
  record.wall_ns += slow.between_ns;
  EXPECT_EQ(slow.used_ns(), without + slow.between_ns);
  EXPECT_EQ(judge(record).stage, "slow");
  EXPECT_EQ(judge(record).kind, VerdictKind::kGpuSpan);
  EXPECT_THAT(judge(record).text, HasSubstr("of which 20 % between steps (evaluation, checkpoint), "));
}

}  // namespace
}  // namespace dflash
