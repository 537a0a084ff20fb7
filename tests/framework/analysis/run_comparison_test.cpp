// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/run_comparison.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/framework/analysis/made_records.h"

namespace dflash {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

RunComparison compare(const RunRecords& a, const RunRecords& b) { return compare_runs({a}, {b}); }

TEST(RunComparison, FindsAFasterRunStageByStageAndEdgeByEdge) {
  const RunComparison found = compare(MadeRun{.step_ns = 2000}.records(), MadeRun{.name = "runs/b"}.records());
  EXPECT_EQ(found.result, Pace::kFaster);
  EXPECT_NEAR(found.throughput.ratio->value, 2.0, 1e-9);
  ASSERT_THAT(found.stages, SizeIs(2));
  EXPECT_NEAR(found.stages[0].ratio->value, 1.0, 1e-9);
  EXPECT_EQ(found.stages[1].name, "sink");
  EXPECT_NEAR(found.stages[1].ratio->value, 2.0, 1e-9);
  EXPECT_NEAR(found.stages[1].a_s, 1e-6, 1e-12);
  EXPECT_NEAR(found.stages[1].b_s, 0.5e-6, 1e-12);
  ASSERT_THAT(found.edges, SizeIs(1));
  EXPECT_NEAR(found.edges[0].ratio->value, 2.0, 1e-9);
  EXPECT_EQ(found.edges[0].fill_a, 0.5);
  EXPECT_EQ(found.losses.equal, true);
  EXPECT_THAT(found.runs_b, ElementsAre("runs/b"));
}

TEST(RunComparison, FindsNoStageSlowerWhereOneRunEvaluatesMore) {
  RunRecords b = MadeRun{}.records();
  for (FiringEvent& firing : b.timeline.stages[1].firings) {
    if (firing.number % 5 == 0) {
      firing.end += 400;
      firing.between = 400;
    }
  }
  const RunComparison found = compare(MadeRun{}.records(), b);
  EXPECT_EQ(found.stages[1].name, "sink");
  EXPECT_NEAR(found.stages[1].ratio->value, 1.0, 1e-9);
}

TEST(RunComparison, FindsASlowerRunAndEqualOnes) {
  EXPECT_EQ(compare(MadeRun{}.records(), MadeRun{.step_ns = 1100}.records()).result, Pace::kSlower);
  EXPECT_EQ(compare(MadeRun{}.records(), MadeRun{}.records()).result, Pace::kUndecided);
}

TEST(RunComparison, ComparesLossesOfAllRunsWithTheFirst) {
  const RunRecords a = MadeRun{}.records();
  const RunRecords other = MadeRun{.loss_factor = 2.0}.records();
  EXPECT_EQ(compare_runs({a, a}, {a, other}).losses.equal, false);
  EXPECT_EQ(compare_runs({a, a}, {a, other}).losses.largest, 0.5);
  EXPECT_EQ(compare_runs({a, a}, {a, a}).losses.equal, true);
  RunRecords without = a;
  without.metrics.clear();
  EXPECT_FALSE(compare_runs({a}, {a, without}).losses.equal);
}

TEST(RunComparison, NamesStagesThatOnlyOneRunHas) {
  RunRecords b = MadeRun{.sink_type = "multiplier"}.records();
  b.timeline.stages[0].name = "spring";
  const RunComparison found = compare(MadeRun{}.records(), b);
  EXPECT_THAT(found.stages, SizeIs(1));
  EXPECT_THAT(found.notes, Contains("only A has stage 'source'"));
  EXPECT_THAT(found.notes, Contains("only B has stage 'spring'"));
  EXPECT_THAT(found.notes, Contains("stage 'sink' is adder in A and multiplier in B"));
}

TEST(RunComparison, TakesTheContentOfABufferForAnEdge) {
  RunRecords run = MadeRun{}.records();
  run.timeline.buffers.push_back({.stage = 1, .items = run.timeline.edges[0].items});
  run.timeline.edges.clear();
  run.report["edges"] = {{{"name", "sink"}, {"mean_fill", 3.0}}, {{"name", "gone"}, {"mean_fill", 3.0}}};
  const RunComparison found = compare(run, run);
  ASSERT_THAT(found.edges, SizeIs(1));
  EXPECT_EQ(found.edges[0].fill_b, 3.0);
}

TEST(RunComparison, LooksAtEveryRunAndSaysNothingTwice) {
  const RunRecords run = MadeRun{}.records();
  RunRecords stopped = MadeRun{.name = "runs/stopped"}.records();
  stopped.report["outcome"] = {{"code", 130}, {"text", "interrupted"}};
  stopped.report["provenance"]["device"] = "sim:0";
  const std::vector<std::string> notes = compare_runs({run, stopped}, {run, stopped}).notes;
  EXPECT_THAT(notes,
              UnorderedElementsAre("the graphs do not differ", "'runs/stopped' ended with code 130: interrupted",
                                   R"(the runs differ in device ("cpu" in 'runs/a', "sim:0" in 'runs/stopped'))"));
}

TEST(RunComparison, SaysWhatItAssumesOfSingleRuns) {
  const RunRecords run = MadeRun{}.records();
  EXPECT_THAT(compare_runs({run}, {run}).notes, Contains(HasSubstr("not measured but assumed (2 %)")));
  EXPECT_FALSE(compare_runs({run}, {run}).is_spread_measured);
  EXPECT_THAT(compare_runs({run, run}, {run}).notes,
              Contains(StartsWith("three runs hardly show how far one lies from the next, so the bounds are wide; ")));
  EXPECT_FALSE(compare_runs({run}, {run, run}).is_spread_measured);
  const RunComparison four = compare_runs({run, run}, {run, run});
  EXPECT_THAT(four.notes, Not(Contains(HasSubstr("lies from the next"))));
  EXPECT_TRUE(four.is_spread_measured);
}

TEST(RunComparison, SaysThatTheGraphsDoNotDiffer) {
  const RunRecords run = MadeRun{}.records();
  RunRecords other = run;
  EXPECT_THAT(compare(run, other).notes, Contains("the graphs do not differ"));
  EXPECT_TRUE(compare(run, other).is_one_graph);
  RunRecords recording = run;
  recording.timeline.stages.push_back({.name = "record_sink"});
  EXPECT_FALSE(compare(run, recording).is_one_graph);
  other.graph["stages"]["sink"]["params"]["mode"] = "fast";
  EXPECT_FALSE(compare(run, other).is_one_graph);
  EXPECT_THAT(compare(run, other).notes, Not(Contains("the graphs do not differ")));
}

TEST(RunComparison, NeedsARunOnEachSide) { EXPECT_THROW(compare_runs({}, {MadeRun{}.records()}), InternalError); }

}  // namespace
}  // namespace dflash
