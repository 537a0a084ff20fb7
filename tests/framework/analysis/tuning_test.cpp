// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/tuning.h"

#include <functional>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "framework/analysis/pipeline_replay.h"
#include "framework/core/error.h"
#include "tests/framework/analysis/hand_made_timeline.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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
  const Tuning tuning = tune(recorded(bursty_run(1)), std::nullopt);
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
  const Tuning tuning = tune(recorded(made), std::nullopt);
  ASSERT_EQ(tuning.capacities.size(), 4U);
  EXPECT_EQ(tuning.capacities[0].advised, 1);
  EXPECT_EQ(tuning.capacities[3].name, "queue");
  EXPECT_EQ(tuning.capacities[3].advised, 2);  // its min_ready
}

TEST(Tuning, StaysWithinABudget) {
  const Timeline run = recorded(bursty_run(8, 1000));
  const Tuning free = tune(run, std::nullopt);
  const Tuning bound = tune(run, 2000);
  EXPECT_EQ(bound.capacities[0].advised, 2);
  EXPECT_LE(bound.advised_bytes(), 2000);
  EXPECT_FALSE(bound.keeps_throughput);
  EXPECT_GT(bound.advised_ns, free.advised_ns);
  EXPECT_THAT(tuning_text(bound), HasSubstr("the budget forbids"));
}

TEST(Tuning, RefusesABudgetThatHoldsNothing) {
  try {
    (void)tune(recorded(bursty_run(8, 1000)), 999);
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
  EXPECT_EQ(tune(recorded(made), std::nullopt).capacities.size(), 1U);
}

TEST(Tuning, WritesAnOverlayWithAllEdges) {
  Tuning tuning;
  tuning.capacities = {{.name = "a.out->b.in", .recorded = 4, .advised = 9},
                       {.name = "queue", .is_buffer = true, .recorded = 60, .advised = 12}};
  const Json graph = Json::parse(R"({"stages": {}, "edges": [
      {"from": "a.out", "to": "b.in", "capacity": {"items": 4, "bytes": 2048}, "when_full": "block"},
      {"from": "b.out", "to": "c.in", "capacity": {"items": 4}}]})");
  EXPECT_EQ(tuning_overlay(tuning, graph).dump(),
            R"({"edges":[{"from":"a.out","to":"b.in","capacity":{"items":9,"bytes":2048},"when_full":"block"},)"
            R"({"from":"b.out","to":"c.in","capacity":{"items":4}}],)"
            R"("stages":{"queue":{"params":{"capacity":12}}}})");
}

TEST(Tuning, TellsPeopleAndProgramsTheSame) {
  const Tuning tuning = tune(recorded(bursty_run(1, 1000)), 1'000'000);
  EXPECT_THAT(tuning_text(tuning), AllOf(HasSubstr("bursts.out->steady.in"), HasSubstr("allowed: 976.6 KiB")));
  const Json json = tuning_json(tuning);
  EXPECT_EQ(json.at("capacities").at(0).at("recorded_items"), 1);
  EXPECT_EQ(json.at("keeps_throughput"), true);
  EXPECT_EQ(json.at("budget_bytes"), 1'000'000);
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
  const Tuning tuning = tune(recorded(made), budget);
  RC_ASSERT(tuning.advised_bytes() <= budget);
  RC_ASSERT(!tuning.keeps_throughput ||
            0.99 * static_cast<double>(tuning.advised_ns) <= static_cast<double>(tuning.unlimited_ns));
}

}  // namespace
}  // namespace dflash
