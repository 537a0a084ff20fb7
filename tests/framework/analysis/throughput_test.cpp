// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/throughput.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/framework/analysis/made_records.h"

namespace dflash {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Throughput throughput(const RunRecords& a, const RunRecords& b) {
  const RunProgress first = progress_of(a);
  const RunProgress second = progress_of(b);
  return compare_throughput({&first}, {&second});
}

Throughput throughput(const MadeRun& a, const MadeRun& b) { return throughput(a.records(), b.records()); }

RunRecords without_steps(RunRecords run) {
  run.timeline.steps.clear();
  return run;
}

/// With a stage of that name behind the source; `drops` of the items on the way there.
RunRecords with_watcher(RunRecords run, const std::string& name, std::int64_t drops) {
  StageTimeline watcher = run.timeline.stages[1];
  watcher.name = name;
  run.timeline.stages.push_back(watcher);
  run.timeline.edges.push_back({.name = "source.out->" + name + ".in", .from_stage = 0, .to_stage = 2});
  run.report["edges"].push_back({{"name", "source.out->" + name + ".in"}, {"drops", drops}});
  return run;
}

TEST(Throughput, ComparesTheTimeOfTheSameSteps) {
  const Throughput found = throughput({.step_ns = 1200}, {.steps = 200, .step_ns = 1000});
  ASSERT_TRUE(found.ratio);
  EXPECT_NEAR(found.ratio->value, 1.2, 1e-9);
  EXPECT_EQ(found.unit, "steps/s");
  EXPECT_EQ(found.samples, 89U);  // of 99 durations
  EXPECT_NEAR(found.rate_a->value, 1e9 / 1200, 1e-3);
  EXPECT_NEAR(found.rate_b->value, 1e6, 1e-3);
  EXPECT_LE(found.rate_b->low, found.rate_b->value);
  EXPECT_THAT(found.notes, IsEmpty());
}

TEST(Throughput, ComparesTokensWhereStepsDiffer) {
  const Throughput found = throughput({.step_ns = 1000, .tokens = 50}, {.step_ns = 1500, .tokens = 100});
  EXPECT_NEAR(found.ratio->value, 2.0 / 1.5, 1e-9);
  EXPECT_EQ(found.unit, "tokens/s");
  EXPECT_THAT(found.notes, Contains(HasSubstr("tokens are compared")));
}

TEST(Throughput, ComparesFiringsOfTheLastStageWhereThereAreNoSteps) {
  const Throughput found =
      throughput(without_steps(MadeRun{.step_ns = 2000}.records()), without_steps(MadeRun{}.records()));
  EXPECT_NEAR(found.ratio->value, 2.0, 1e-9);
  EXPECT_EQ(found.unit, "firings/s of 'sink'");
}

// As where only one of the runs was made with --record.
TEST(Throughput, ComparesFiringsOfTheLastStageThatAllRunsHave) {
  const RunRecords a = without_steps(MadeRun{.step_ns = 2000}.records());
  RunRecords b = with_watcher(without_steps(MadeRun{}.records()), "record_sink", 0);
  for (FiringEvent& firing : b.timeline.stages[2].firings) {
    firing.end *= 7;
  }
  const Throughput found = throughput(a, b);
  EXPECT_EQ(found.unit, "firings/s of 'sink'");
  EXPECT_NEAR(found.ratio->value, 2.0, 1e-9);
  EXPECT_NEAR(throughput(b, a).ratio->value, 0.5, 1e-9);
}

// It does not hold up the others, so its pace is not theirs.
TEST(Throughput, ComparesNoStageBehindDrops) {
  const RunRecords run = without_steps(MadeRun{}.records());
  EXPECT_EQ(throughput(with_watcher(run, "watcher", 3), with_watcher(run, "watcher", 0)).unit, "firings/s of 'sink'");
  EXPECT_EQ(throughput(with_watcher(run, "watcher", 0), with_watcher(run, "watcher", 0)).unit,
            "firings/s of 'watcher'");
}

TEST(Throughput, ComparesNoRunsWithoutCommonWork) {
  const RunRecords trained = MadeRun{.name = "trained"}.records();
  const RunRecords replayed = without_steps(MadeRun{.name = "replayed"}.records());
  const Throughput found = throughput(trained, replayed);
  EXPECT_FALSE(found.ratio);
  EXPECT_FALSE(found.rate_a);
  EXPECT_THAT(found.reason, HasSubstr("'trained' makes steps and 'replayed' makes none"));
  RunRecords other = replayed;
  other.timeline.stages[0].name = "x";
  other.timeline.stages[1].name = "y";
  EXPECT_THAT(throughput(replayed, other).reason, HasSubstr("no stage in common"));
}

TEST(Throughput, SaysThatThereAreTooFewSteps) {
  const Throughput found = throughput({.steps = 3}, {.steps = 3});
  EXPECT_FALSE(found.ratio);
  EXPECT_FALSE(found.rate_a);
  EXPECT_EQ(found.reason, "too few steps to compare: 1 of a run are left behind its first tenth");
}

TEST(Throughput, ComparesRunsWithoutCommonSteps) {
  RunRecords resumed = MadeRun{.step_ns = 500}.records();
  for (StepEvent& step : resumed.timeline.steps) {
    step.step += 1000;
  }
  const Throughput found = throughput(MadeRun{}.records(), resumed);
  EXPECT_NEAR(found.ratio->value, 2.0, 1e-9);
  EXPECT_THAT(found.notes, Contains(HasSubstr("few steps in common")));
}

}  // namespace
}  // namespace dflash
