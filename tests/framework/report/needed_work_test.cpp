// SPDX-License-Identifier: Apache-2.0
#include "framework/report/needed_work.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

/// source -> work -> queue -> step, of which the last took 40 of the 100 that the source made.
RunRecord working_ahead() {
  RunRecord record;
  record.stages = {{.name = "source"}, {.name = "work"}, {.name = "queue"}, {.name = "step"}};
  record.edges = {{.name = "source.out->work.in", .from_stage = 0, .to_stage = 1, .items = 100, .abandoned = 21},
                  {.name = "work.out->queue.in", .from_stage = 1, .to_stage = 2, .items = 80},
                  {.name = "queue", .from_stage = 2, .to_stage = 2, .is_buffer = true, .items = 80, .abandoned = 41},
                  {.name = "queue.out->step.in", .from_stage = 2, .to_stage = 3, .items = 40}};
  return record;
}

TEST(NeededWork, IsWhatWasTakenToTheEnd) {
  const auto near = [](double share) { return DoubleNear(share, 1e-12); };
  EXPECT_THAT(needed_shares(working_ahead()), ElementsAre(near(0.4), near(0.5), near(0.5), near(1.0)));
}

TEST(NeededWork, IsAllWhereTheLastItemHasJustCome) {
  EXPECT_EQ(taken_share({.items = 13, .abandoned = 1}), 1.0);
  EXPECT_DOUBLE_EQ(taken_share({.items = 13, .abandoned = 13}), 1.0 / 13.0);
  EXPECT_EQ(taken_share({}), 1.0);
}

TEST(NeededWork, OfABranchThatTookAllIsAll) {
  RunRecord record = working_ahead();
  record.stages.push_back({.name = "watcher"});
  record.edges.push_back({.name = "source.out->watcher.in", .from_stage = 0, .to_stage = 4, .items = 100, .drops = 70});
  EXPECT_EQ(needed_shares(record).front(), 1.0) << "what an edge dropped was sent to it all the same";
}

TEST(NeededWork, DoesNotGoRoundALoop) {
  RunRecord record = working_ahead();
  record.edges.push_back({.name = "step.out->source.in", .from_stage = 3, .to_stage = 0, .items = 9, .abandoned = 9});
  EXPECT_EQ(needed_shares(record).back(), 1.0);
}

}  // namespace
}  // namespace dflash
