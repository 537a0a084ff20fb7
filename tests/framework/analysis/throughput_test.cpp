// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/throughput.h"

#include <gmock/gmock.h>

#include "tests/framework/analysis/made_records.h"

namespace dflash {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Throughput throughput(const MadeRun& a, const MadeRun& b) { return compare_throughput({a.records()}, {b.records()}); }

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
  RunRecords a = MadeRun{.step_ns = 2000}.records();
  RunRecords b = MadeRun{}.records();
  a.timeline.steps.clear();
  const Throughput found = compare_throughput({a}, {b});
  EXPECT_NEAR(found.ratio->value, 2.0, 1e-9);
  EXPECT_EQ(found.unit, "firings/s of 'sink'");
}

TEST(Throughput, SaysThatThereAreTooFewSteps) {
  const Throughput found = throughput({.steps = 3}, {.steps = 3});
  EXPECT_FALSE(found.ratio);
  EXPECT_FALSE(found.rate_a);
  EXPECT_THAT(found.notes, ElementsAre("too few steps to compare: 1 of a run are left behind its first tenth"));
}

TEST(Throughput, ComparesRunsWithoutCommonSteps) {
  RunRecords resumed = MadeRun{.step_ns = 500}.records();
  for (StepEvent& step : resumed.timeline.steps) {
    step.step += 1000;
  }
  const Throughput found = compare_throughput({MadeRun{}.records()}, {resumed});
  EXPECT_NEAR(found.ratio->value, 2.0, 1e-9);
  EXPECT_THAT(found.notes, Contains(HasSubstr("few steps in common")));
}

}  // namespace
}  // namespace dflash
