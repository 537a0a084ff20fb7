// SPDX-License-Identifier: Apache-2.0
#include "framework/report/self_checks.h"

#include <gmock/gmock.h>

#include "tests/framework/report/simulated_chain.h"

namespace dflash {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;

RunRecord honest_record() { return simulate(constant_chain({"a", "b", "c"}, {500, 2000, 700}, 200)); }

std::vector<std::string> failed(const RunRecord& record) {
  std::vector<std::string> names;
  for (const SelfCheck& check : self_checks(record)) {
    if (!check.ok) {
      names.push_back(check.name);
    }
  }
  return names;
}

TEST(SelfChecks, AllHoldForAnHonestRecord) {
  const auto checks = self_checks(honest_record());
  EXPECT_THAT(checks, SizeIs(2 * 3 + 2 * 2));
  EXPECT_THAT(checks, Each(Field(&SelfCheck::ok, true)));
}

TEST(SelfChecks, CatchStatesThatDoNotSumToSlotsTimesWall) {
  RunRecord record = honest_record();
  record.stages[0].blocked_out_ns += record.wall_ns / 50;
  EXPECT_THAT(failed(record), ElementsAre("sum of states: a"));
}

TEST(SelfChecks, TakeTimeThatNobodyAccountedForAsMissing) {
  RunRecord record = honest_record();
  record.stages[0].blocked_out_ns -= record.wall_ns / 50;
  record.stages[0].unaccounted_ns += record.wall_ns / 50;
  EXPECT_THAT(failed(record), ElementsAre("sum of states: a"));
}

TEST(SelfChecks, KnowThatADrainIsNoFiring) {
  RunRecord record = honest_record();
  record.stages[2].busy_ns += record.wall_ns / 10;
  record.stages[2].starved_in_ns -= record.wall_ns / 10;
  EXPECT_THAT(failed(record), ElementsAre("utilisation law: c"));
  record.stages[2].drain_ns = record.wall_ns / 10;
  EXPECT_THAT(failed(record), ElementsAre());
}

TEST(SelfChecks, KnowThatWhatIsDueBetweenStepsIsNoBody) {
  RunRecord record = honest_record();
  record.stages[2].busy_ns += record.wall_ns / 10;
  record.stages[2].starved_in_ns -= record.wall_ns / 10;
  record.stages[2].between_ns = record.wall_ns / 10;
  EXPECT_THAT(failed(record), ElementsAre());
}

TEST(SelfChecks, CatchAFiringThatWasNotCounted) {
  RunRecord record = honest_record();
  record.stages[1].firings /= 2;
  EXPECT_THAT(failed(record), ElementsAre("utilisation law: b"));
}

TEST(SelfChecks, CatchAFillThatTheResidenceDoesNotExplain) {
  RunRecord record = honest_record();
  record.edges[0].mean_fill /= 2.0;
  EXPECT_THAT(failed(record), ElementsAre("little's law: a.out->b.in"));
}

TEST(SelfChecks, CatchADeviceThatIsBusyTwice) {
  RunRecord record = honest_record();
  record.devices = {{.name = "cuda:0", .busy_ns = record.wall_ns, .span_ns = 2 * record.wall_ns}};
  EXPECT_THAT(failed(record), ::testing::IsEmpty());
  record.devices[0].busy_ns += record.wall_ns / 50;
  EXPECT_THAT(failed(record), ElementsAre("device time within the wall: cuda:0"));
}

TEST(SelfChecks, CatchALostItem) {
  RunRecord record = honest_record();
  ++record.edges[1].items;
  EXPECT_THAT(failed(record), ElementsAre("flow balance: b.out->c.in"));
}

TEST(SelfChecks, CountAbandonedAndDroppedItems) {
  RunRecord record = honest_record();
  record.edges[1].items += 3;
  record.edges[1].abandoned = 2;
  record.edges[1].drops = 1;
  EXPECT_THAT(failed(record), ElementsAre());
}

TEST(SelfChecks, AreNoneWhereNothingRan) { EXPECT_THAT(self_checks(RunRecord{}), SizeIs(0)); }

}  // namespace
}  // namespace dflash
