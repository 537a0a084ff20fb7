// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/tuning.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "framework/analysis/pipeline_replay.h"
#include "framework/core/error.h"
#include "tests/framework/analysis/hand_made_timeline.h"

namespace dflash {
namespace {

using Times = std::vector<std::int64_t>;

Timeline recorded(const HandMadeTimeline& made) { return replay(model_of(made.timeline)).timeline; }

/// The first stage is slow every eighth time and otherwise twice as fast as the second, which evens out with room.
HandMadeTimeline bursty_run(std::int64_t capacity, std::int64_t bytes = 0) {
  HandMadeTimeline made;
  Times bursts;
  for (int i = 0; i < 160; ++i) {
    bursts.push_back(i % 8 == 7 ? 450 : 50);
  }
  made.stage("bursts", bursts);
  made.stage("steady", Times(160, 100));
  made.edge(0, 1, {.capacity = capacity, .bytes = bytes});
  return made;
}

TEST(Tuning, GivesTheRoomThatEvensBurstsOut) {
  const Tuning tuning = tune(recorded(bursty_run(1)));
  ASSERT_EQ(tuning.capacities.size(), 1U);
  EXPECT_EQ(tuning.capacities[0].recorded, 1);
  EXPECT_GE(tuning.capacities[0].advised, 3);
  EXPECT_LE(tuning.capacities[0].advised, 5);
  EXPECT_TRUE(tuning.keeps_throughput);
  EXPECT_LT(tuning.advised_ns, tuning.wall_ns);
  EXPECT_GE(static_cast<double>(tuning.unlimited_ns), 0.99 * static_cast<double>(tuning.advised_ns));
}

TEST(Tuning, TakesRoomAwayThatDoesNothing) {
  HandMadeTimeline made;
  made.stage("a", Times(50, 10));
  made.stage("b", Times(50, 40));
  made.buffer("queue", 50, 30, 2);
  made.stage("c", Times(50, 10));
  made.edge(0, 1, 20);
  made.edge(1, 2, 20);
  made.edge_from_buffer(2, 3, 20);
  const Tuning tuning = tune(recorded(made));
  ASSERT_EQ(tuning.capacities.size(), 4U);
  EXPECT_EQ(tuning.capacities[0].advised, 1);
  EXPECT_EQ(tuning.capacities[3].name, "queue");
  EXPECT_EQ(tuning.capacities[3].advised, 2);  // its min_ready
}

// Room for nothing lets nothing through, however often it is doubled.
TEST(Tuning, AdvisesRoomForAnItemWhereABufferGivesHoweverFewItHolds) {
  HandMadeTimeline made;
  made.stage("a", Times(50, 10));
  made.buffer("queue", 50, 30, 0);
  made.stage("b", Times(50, 10));
  made.edge(0, 1, 20);
  made.edge_from_buffer(1, 2, 20);
  const Tuning tuning = tune(recorded(made), {.budget_bytes = 0});
  ASSERT_EQ(tuning.capacities.back().name, "queue");
  EXPECT_EQ(tuning.capacities.back().advised, 1);
}

TEST(Tuning, StaysWithinABudget) {
  const Timeline run = recorded(bursty_run(8, 1000));
  const Tuning free = tune(run);
  const Tuning bound = tune(run, {.budget_bytes = 2000});
  EXPECT_EQ(bound.capacities[0].advised, 2);
  EXPECT_LE(bound.advised_bytes(), 2000);
  EXPECT_FALSE(bound.keeps_throughput);
  EXPECT_GT(bound.advised_ns, free.advised_ns);
}

TEST(Tuning, RefusesABudgetThatHoldsNothing) {
  try {
    (void)tune(recorded(bursty_run(8, 1000)), {.budget_bytes = 999});
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "--bytes 999 B: allowed: at least 1000 B, which the smallest capacities hold");
  }
}

TEST(Tuning, LeavesEdgesAloneThatDropOrLeadBack) {
  HandMadeTimeline made;
  made.stage("source", Times(20, 10));
  made.stage("work", Times(20, 20));
  made.stage("watcher", Times(20, 5));
  made.edge(0, 1);
  made.edge(1, 2, {.capacity = 3, .blocks = false});
  made.edge(1, 1, {.capacity = 2, .initial = 1});
  EXPECT_EQ(tune(recorded(made)).capacities.size(), 1U);
}

/// The wall by the replay with such capacities.
std::int64_t wall_with(const Timeline& run, const std::vector<std::int64_t>& capacities) {
  PipelineModel model = model_of(run);
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    model.edges.at(i).capacity_items = capacities[i];
  }
  return replay(model).timeline.wall_ns;
}

/// A stage that is slow every so many firings.
struct Bursts {
  int every = 8;
  int mean = 100;
  std::int64_t item_bytes = 100;
};

/// `first` -> a steady stage -> `second`.
HandMadeTimeline two_bursts(const Bursts& first, const Bursts& second) {
  const auto times = [](const Bursts& bursts) {
    Times made;
    for (int i = 1; i <= 160; ++i) {
      made.push_back(i % bursts.every == 0 ? bursts.mean * bursts.every - 10 * (bursts.every - 1) : 10);
    }
    return made;
  };
  HandMadeTimeline made;
  made.stage("a", times(first));
  made.stage("b", Times(160, 100));
  made.stage("c", times(second));
  made.edge(0, 1, {.capacity = 40, .bytes = first.item_bytes});
  made.edge(1, 2, {.capacity = 40, .bytes = second.item_bytes});
  return made;
}

// The edge that gives most bytes is not the one that loses least time by it.
TEST(Tuning, TakesRoomWhereItCostsLeastTime) {
  for (const auto& [first, second] :
       {std::pair{Bursts{8, 100, 300}, Bursts{16, 100, 100}}, std::pair{Bursts{16, 60, 100}, Bursts{4, 60, 300}},
        std::pair{Bursts{16, 100, 100}, Bursts{8, 85, 100}}}) {
    const Timeline run = recorded(two_bursts(first, second));
    const std::int64_t budget = tune(run).advised_bytes() * 8 / 10;
    std::int64_t best = wall_with(run, {1, 1});
    for (std::int64_t items = 1; items <= 40; ++items) {
      if (const std::int64_t others = (budget - items * first.item_bytes) / second.item_bytes; others >= 1) {
        best = std::min(best, wall_with(run, {items, others}));
      }
    }
    const Tuning bound = tune(run, {.budget_bytes = budget});
    EXPECT_LE(bound.advised_bytes(), budget);
    EXPECT_LE(static_cast<double>(bound.advised_ns), 1.02 * static_cast<double>(best))
        << bound.capacities[0].advised << " and " << bound.capacities[1].advised;
  }
}

TEST(Tuning, CountsCapacitiesThatAreAsGoodAsEndless) {
  constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
  const std::string edge = "bursts.out->steady.in";
  const Timeline run = recorded(bursty_run(kEndless, 1000));
  const Tuning endless = tune(run, {.budget_bytes = 3000});
  EXPECT_EQ(endless.recorded_bytes(), kEndless);
  EXPECT_EQ(endless.capacities[0].advised, 3);
  const Tuning bound = tune(run, {.most_bytes = {{edge, 2500}}});
  EXPECT_EQ(bound.recorded_bytes(), 2500);
  EXPECT_EQ(bound.advised_bytes(), 2500);
  EXPECT_EQ(tune(run, {.budget_bytes = 2500, .most_bytes = {{edge, 2500}}}).capacities[0].advised,
            bound.capacities[0].advised);
  EXPECT_EQ(tune(run, {.budget_bytes = 2499, .most_bytes = {{edge, 2500}}}).capacities[0].advised, 2);
  EXPECT_EQ(tune(run, {.budget_bytes = 1000, .most_bytes = {{edge, 10}}}).advised_bytes(), 1000);  // one item always
}

RC_GTEST_PROP(Tuning, NeverExceedsItsBudgetAndKeepsWhatItPromises, ()) {
  const auto times = [] { return *rc::gen::container<Times>(20, rc::gen::inRange<std::int64_t>(1, 60)); };
  HandMadeTimeline made;
  made.stage("a", times());
  made.stage("b", times());
  made.stage("c", times());
  made.edge(0, 1, {.capacity = *rc::gen::inRange<std::int64_t>(1, 6), .bytes = *rc::gen::inRange<std::int64_t>(0, 50)});
  made.edge(1, 2, {.capacity = *rc::gen::inRange<std::int64_t>(1, 6), .bytes = *rc::gen::inRange<std::int64_t>(0, 50)});
  const auto budget = *rc::gen::inRange<std::int64_t>(100, 400);
  const Timeline run = recorded(made);
  const Tuning tuning = tune(run, {.budget_bytes = budget});
  RC_ASSERT(tuning.advised_bytes() <= budget);
  const std::int64_t advised = wall_with(run, {tuning.capacities[0].advised, tuning.capacities[1].advised});
  RC_ASSERT(advised == tuning.advised_ns);
  RC_ASSERT(!tuning.keeps_throughput ||
            0.99 * static_cast<double>(advised) <= static_cast<double>(wall_with(run, {1000, 1000})));
}

}  // namespace
}  // namespace dflash
