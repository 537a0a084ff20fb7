// SPDX-License-Identifier: Apache-2.0
#include "framework/report/verdict.h"

#include <random>

#include <gmock/gmock.h>

#include "tests/framework/report/simulated_chain.h"

namespace dflash {
namespace {

using ::testing::AllOf;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;
using ::testing::StartsWith;

SimulatedChain exponential_chain(double mean_ns, std::int64_t capacity) {
  std::mt19937_64 random{11};
  std::exponential_distribution<double> service{1.0 / mean_ns};
  SimulatedChain chain{.names = {"a", "b", "c", "d"}, .service_ns = {}, .capacity = capacity};
  for (std::size_t i = 0; i < chain.names.size(); ++i) {
    auto& times = chain.service_ns.emplace_back();
    for (int n = 0; n < 600; ++n) {
      times.push_back(static_cast<std::int64_t>(service(random)) + 1);
    }
  }
  return chain;
}

TEST(Verdict, NamesTheSlowStageWithItsNumbers) {
  const Verdict verdict = judge(simulate(constant_chain({"a", "b", "c", "d"}, {500, 600, 2000, 700}, 400)));
  EXPECT_EQ(verdict.stage, "c");
  EXPECT_EQ(verdict.kind, VerdictKind::kCpuBody);
  EXPECT_THAT(verdict.share, Gt(0.95));
  EXPECT_THAT(verdict.text, StartsWith("Stage 'c' is the bottleneck (cpu body): busy 100 % of its time"));
}

TEST(Verdict, SaysTheBoundTheGapAndWhatComesNext) {
  const Verdict verdict = judge(simulate(constant_chain({"a", "b", "c", "d"}, {500, 600, 2000, 700}, 400)));
  EXPECT_THAT(verdict.text, AllOf(HasSubstr("of at most 500K firings/s of 'd' that stage 'c' allows (gap 0.2 %)"),
                                  HasSubstr("Without it, 'd' would limit at 1.43M firings/s")));
}

TEST(Verdict, CountsInStepsWhereAStageDrivesThem) {
  RunRecord record = simulate(constant_chain({"a", "b"}, {500, 2'000'000}, 100));
  record.steps = 100;
  EXPECT_THAT(judge(record).text, HasSubstr("The run made 500 of at most 500 steps/s"));
}

TEST(Verdict, CallsASlowSourceASource) {
  const Verdict verdict = judge(simulate(constant_chain({"a", "b"}, {2000, 600}, 400)));
  EXPECT_EQ(verdict.kind, VerdictKind::kSource);
  EXPECT_THAT(verdict.text, StartsWith("Source 'a' is the bottleneck"));
}

TEST(Verdict, CallsEqualStagesBalanced) {
  const Verdict verdict = judge(simulate(constant_chain({"a", "b", "c", "d"}, {1000, 1010, 990, 1000}, 400, 1)));
  EXPECT_EQ(verdict.kind, VerdictKind::kBalanced);
  EXPECT_THAT(verdict.text, StartsWith("Balanced: nothing causes more than"));
}

TEST(Verdict, CallsEqualStagesBalancedBetweenQuickOnesToo) {
  const Verdict verdict = judge(simulate(constant_chain({"a", "b", "c", "d"}, {10, 1000, 980, 10}, 400)));
  EXPECT_EQ(verdict.kind, VerdictKind::kBalanced);
  EXPECT_THAT(verdict.text,
              StartsWith("Balanced between 'b' (cpu body) and 'c' (cpu body): the one is busy 100 % of the "
                         "time, the other 98 %, so that a faster 'b' alone brings at most 2 %."));
  EXPECT_EQ(judge(simulate(constant_chain({"a", "b", "c", "d"}, {10, 1000, 700, 10}, 400))).stage, "b");
}

TEST(Verdict, BlamesTheCapacityWhereBurstsDoNotFit) {
  const Verdict verdict = judge(simulate(exponential_chain(1000.0, 1)));
  EXPECT_EQ(verdict.kind, VerdictKind::kCapacity);
  EXPECT_THAT(verdict.stage, HasSubstr("->"));
  EXPECT_THAT(verdict.text, HasSubstr("room for 1 item is full"));
}

TEST(Verdict, BlamesNoCapacityWhereTheSameBurstsFit) {
  EXPECT_NE(judge(simulate(exponential_chain(1000.0, 64))).kind, VerdictKind::kCapacity);
}

TEST(Verdict, TakesAChangeOfPhaseForNoBursts) {
  SimulatedChain chain = constant_chain({"a", "b"}, {10, 1000}, 600);
  std::fill_n(chain.service_ns[0].begin(), 200, 3000);  // until then the edge is empty, from then on it is full
  const RunRecord record = simulate(chain);
  ASSERT_GT(record.edges[0].full_ns, record.wall_ns / 5);
  ASSERT_GT(record.edges[0].empty_ns, record.wall_ns / 5);
  EXPECT_NE(judge(record).kind, VerdictKind::kCapacity);
}

// source -> queue -> step, the queue a buffer, which waits nearly always.
TEST(Verdict, LeavesOutWhatABufferWaitsFor) {
  RunRecord record{.wall_ns = 1'000'000};
  record.stages = {
      {.name = "source", .lane = "cpu", .firings = 100, .busy_ns = 600'000, .blocked_out_ns = 400'000},
      {.name = "queue", .lane = "cpu", .firings = 200, .blocked_out_ns = 300'000, .starved_in_ns = 700'000},
      {.name = "step", .lane = "cpu", .firings = 100, .busy_ns = 720'000, .starved_in_ns = 280'000}};
  record.stages[0].blocked_by = {{.edge = 0, .ns = 400'000}};
  record.stages[1].starved_by = {{.edge = 0, .ns = 700'000}};
  record.stages[1].blocked_by = {{.edge = 2, .ns = 300'000}};
  record.stages[2].starved_by = {{.edge = 2, .ns = 280'000}};
  record.edges = {{.name = "source->queue",
                   .from_stage = 0,
                   .to_stage = 1,
                   .items = 100,
                   .full_ns = 400'000,
                   .empty_ns = 500'000,
                   .swings = 100},
                  {.name = "[queue]", .from_stage = 1, .to_stage = 1, .is_buffer = true, .items = 100},
                  {.name = "queue->step",
                   .from_stage = 1,
                   .to_stage = 2,
                   .items = 100,
                   .full_ns = 300'000,
                   .empty_ns = 280'000,
                   .swings = 100}};
  const Verdict verdict = judge(record);
  EXPECT_EQ(verdict.kind, VerdictKind::kCapacity);
  EXPECT_EQ(verdict.stage, "source->queue");
  EXPECT_NEAR(verdict.share, 400.0 / 680.0, 1e-9);
}

TEST(Verdict, NamesTheLaneThatIsShortOfWorkers) {
  RunRecord record = simulate(constant_chain({"a", "b", "c"}, {1000, 1000, 1000}, 100));
  record.lanes.front().workers = 1;
  record.wall_ns = 300'000;
  for (StageRecord& stage : record.stages) {
    stage.dispatch_ns = 190'000;
    stage.starved_by.clear();
    stage.starved_in_ns = 0;
  }
  const Verdict verdict = judge(record);
  EXPECT_EQ(verdict.kind, VerdictKind::kLane);
  EXPECT_EQ(verdict.stage, "cpu");
  EXPECT_THAT(verdict.text, HasSubstr("waited for its only worker"));
  EXPECT_THAT(verdict.text, HasSubstr("Its workers are 100 % busy"));
}

TEST(Verdict, BlamesTheStageThatHoldsALanesOnlyWorker) {
  RunRecord record = simulate(constant_chain({"a", "b", "c"}, {500, 2000, 500}, 100));
  record.lanes.front().workers = 1;
  record.wall_ns = 300'000;
  for (StageRecord& stage : record.stages) {
    stage.dispatch_ns = 190'000;
    stage.starved_by.clear();
    stage.starved_in_ns = 0;
  }
  const Verdict verdict = judge(record);
  EXPECT_EQ(verdict.stage, "b");
  EXPECT_EQ(verdict.kind, VerdictKind::kCpuBody);
  EXPECT_THAT(verdict.text, HasSubstr("it takes 67 % of the only worker of lane 'cpu', which 3 stages share"));
}

TEST(Verdict, TakesNoLimitFromAStageThatTakesOnlyWhatItCan) {
  RunRecord record = simulate(constant_chain({"a", "b", "c"}, {500, 2000, 500}, 100));
  record.stages.push_back({.name = "watcher", .lane = "cpu", .firings = 20, .busy_ns = record.wall_ns});
  record.edges.push_back({.name = "a.out->watcher.in", .from_stage = 0, .to_stage = 3, .items = 100, .drops = 80});
  const Verdict verdict = judge(record);
  EXPECT_EQ(verdict.stage, "b");
  EXPECT_THAT(verdict.text, Not(HasSubstr("watcher")));
}

TEST(Verdict, SaysThatIdleWorkersWereWokenLate) {
  RunRecord record = simulate(constant_chain({"a", "b"}, {1000, 1000}, 100));
  record.lanes.front().workers = 8;
  record.wall_ns *= 3;
  record.stages[0].dispatch_ns = record.wall_ns / 2;
  const Verdict verdict = judge(record);
  EXPECT_EQ(verdict.kind, VerdictKind::kLane);
  EXPECT_THAT(verdict.text, HasSubstr("Its workers are only 8 % busy, so they were woken late"));
}

TEST(Verdict, SaysThatASingleStageIsSimplyBusy) {
  RunRecord record;
  record.wall_ns = 1'000'000;
  record.stages = {{.name = "only", .lane = "cpu", .firings = 10, .busy_ns = 990'000}};
  const Verdict verdict = judge(record);
  EXPECT_EQ(verdict.stage, "only");
  EXPECT_THAT(verdict.text, StartsWith("Stage 'only' is busy 99 % of its time and hardly anything waits"));
  EXPECT_THAT(verdict.text, Not(HasSubstr("Next cause")));
}

TEST(Verdict, GivesNoneWhereNothingFired) {
  RunRecord record;
  record.stages = {{.name = "only", .lane = "cpu"}};
  EXPECT_EQ(judge(record).kind, VerdictKind::kNone);
  EXPECT_EQ(judge(RunRecord{}).kind, VerdictKind::kNone);
}

TEST(Verdict, SeesTheNextStageOnceTheFirstIsFast) {
  const Verdict slow = judge(simulate(constant_chain({"a", "b", "c", "d"}, {500, 1200, 2000, 700}, 400)));
  const Verdict fast = judge(simulate(constant_chain({"a", "b", "c", "d"}, {500, 1200, 100, 700}, 400)));
  EXPECT_EQ(slow.stage, "c");
  EXPECT_EQ(fast.stage, "b");
  EXPECT_THAT(slow.share, Lt(1.0 + 1e-9));
}

}  // namespace
}  // namespace dflash
