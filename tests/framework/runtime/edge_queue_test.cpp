// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/edge_queue.h"

#include <tuple>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/framework/number_stages.h"

namespace dflash {
namespace {

using testing::DoubleEq;
using Front = EdgeQueue::Front;

Graph::Edge edge_of(Capacity capacity, EdgeRules rules = {}) {
  return {.name = "a.out->b.in", .capacity = capacity, .rules = rules};
}

Item item_of(std::int64_t seq, std::int64_t bytes = 8) {
  Item item = make_item<std::int64_t>(seq);
  item.seq = seq;
  item.bytes = bytes;
  return item;
}

EdgeQueue::Pushed push(EdgeQueue& queue, std::int64_t seq, std::int64_t now, std::int64_t bytes = 8) {
  Item item = item_of(seq, bytes);
  return queue.try_push(item, now);
}

TEST(EdgeQueue, GivesItemsInOrder) {
  EdgeQueue queue{edge_of({.items = 3}), true};
  queue.start(0, 0);
  for (std::int64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(push(queue, i, i).accepted);
    ASSERT_EQ(queue.look().front, Front::kItem);
    EXPECT_EQ(queue.pop(i, 1).item.seq, i);
  }
}

TEST(EdgeQueue, KeepsOrderWhileItsRingGrows) {
  EdgeQueue queue{edge_of({.items = 1000}), true};
  queue.start(0, 0);
  ASSERT_TRUE(push(queue, 0, 0).accepted);
  ASSERT_EQ(queue.pop(0, 1).item.seq, 0);
  for (std::int64_t i = 1; i <= 1000; ++i) {
    ASSERT_TRUE(push(queue, i, 0).accepted);
  }
  EXPECT_FALSE(push(queue, 1001, 0).accepted);
  for (std::int64_t i = 1; i <= 1000; ++i) {
    ASSERT_EQ(queue.pop(0, 1).item.seq, i);
  }
}

TEST(EdgeQueue, RefusesAboveItsItemsAndTellsTheProducerOfTheNextRoom) {
  EdgeQueue queue{edge_of({.items = 2}), true};
  queue.start(0, 0);
  EXPECT_TRUE(push(queue, 0, 1).wake_consumer);
  EXPECT_FALSE(push(queue, 1, 2).wake_consumer);
  EXPECT_FALSE(queue.credit().available);
  Item refused = item_of(2);
  EXPECT_FALSE(queue.try_push(refused, 3).accepted);
  EXPECT_NE(refused.payload, nullptr);
  EXPECT_TRUE(queue.pop(7, 1).wake_producer);
  EXPECT_FALSE(queue.pop(8, 1).wake_producer);
  EXPECT_TRUE(queue.credit().available);
  EXPECT_EQ(queue.credit().since, 7);
}

TEST(EdgeQueue, TellsTheConsumerOnlyWhereItHasLookedInVain) {
  EdgeQueue queue{edge_of({.items = 4}), true};
  queue.start(0, 0);
  EXPECT_TRUE(push(queue, 0, 1).wake_consumer);
  (void)queue.pop(2, 1);
  EXPECT_FALSE(push(queue, 1, 3).wake_consumer);
  (void)queue.pop(4, 1);
  EXPECT_EQ(queue.look().front, Front::kEmpty);
  EXPECT_TRUE(push(queue, 2, 5).wake_consumer);
  EXPECT_EQ(queue.look().since, 5);
}

TEST(EdgeQueue, BoundsBytes) {
  EdgeQueue queue{edge_of({.items = 100, .bytes = 100}), true};
  queue.start(0, 0);
  EXPECT_TRUE(push(queue, 0, 1, 60).accepted);
  EXPECT_FALSE(push(queue, 1, 2, 60).accepted);
  EXPECT_TRUE(push(queue, 1, 3, 40).accepted);
  EXPECT_FALSE(queue.credit().available);
  EXPECT_TRUE(queue.pop(4, 1).wake_producer);
  EXPECT_TRUE(push(queue, 2, 5, 60).accepted);
  EXPECT_EQ(queue.record(6).oversize, 0);
  EXPECT_EQ(queue.record(6).bytes, 160);
}

TEST(EdgeQueue, PassesAnOversizeItemAloneAndCountsIt) {
  EdgeQueue queue{edge_of({.items = 100, .bytes = 100}), true};
  queue.start(0, 0);
  EXPECT_TRUE(push(queue, 0, 1, 10).accepted);
  EXPECT_FALSE(push(queue, 1, 2, 500).accepted);
  EXPECT_TRUE(queue.pop(3, 1).wake_producer);
  EXPECT_TRUE(push(queue, 1, 4, 500).accepted);
  EXPECT_FALSE(push(queue, 2, 5, 1).accepted);
  EXPECT_EQ(queue.record(6).oversize, 1);
}

TEST(EdgeQueue, EndsBehindItsLastItem) {
  EdgeQueue queue{edge_of({.items = 2}), true};
  queue.start(0, 0);
  (void)push(queue, 0, 1);
  EXPECT_FALSE(queue.end(2));
  EXPECT_EQ(queue.look().front, Front::kItem);
  (void)queue.pop(3, 1);
  EXPECT_EQ(queue.look().front, Front::kEnded);
  EXPECT_EQ(queue.look().since, 2);
}

TEST(EdgeQueue, DropsAndCountsWhatADiscardingConsumerWillNotTake) {
  EdgeQueue queue{edge_of({.items = 2}), true};
  queue.start(0, 0);
  (void)push(queue, 0, 1);
  (void)push(queue, 1, 1);
  EXPECT_FALSE(push(queue, 2, 1).accepted);
  EXPECT_TRUE(queue.discard(2).wake_producer);
  EXPECT_TRUE(push(queue, 2, 3).accepted);
  EXPECT_EQ(queue.look().front, Front::kEmpty);
  EXPECT_EQ(queue.record(4).abandoned, 3);
}

TEST(EdgeQueue, DropsWhatComesAgainAfterAResume) {
  EdgeQueue queue{edge_of({.items = 2}), true};
  queue.start(0, 5);
  EXPECT_TRUE(push(queue, 4, 1).accepted);
  EXPECT_EQ(queue.look().front, Front::kEmpty);
  EXPECT_TRUE(push(queue, 5, 2).accepted);
  EXPECT_EQ(queue.pop(3, 1).item.seq, 5);
}

TEST(EdgeQueue, MeasuresFillFullEmptyAndResidenceExactly) {
  EdgeQueue queue{edge_of({.items = 2}), true};
  queue.start(100, 0);
  (void)push(queue, 0, 110);                    // empty for 10
  (void)push(queue, 1, 130);                    // one for 20, then full
  (void)queue.pop(170, 1);                      // full for 40
  (void)queue.pop(180, 1);                      // one for 10
  const EdgeRecord record = queue.record(200);  // empty for 20
  EXPECT_EQ(record.empty_ns, 30);
  EXPECT_EQ(record.full_ns, 40);
  EXPECT_EQ(record.swings, 2) << "to full and back";
  EXPECT_THAT(record.mean_fill, DoubleEq((20 * 1 + 40 * 2 + 10 * 1) / 100.0));
  EXPECT_EQ(record.max_fill, 2);
  EXPECT_EQ(record.residence.count(), 2);
  EXPECT_EQ(record.residence.sum(), 60 + 50);
}

TEST(EdgeQueue, MeasuresAFullQueueOfManyItemsForWeeks) {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  constexpr std::int64_t kMany = 10'000;
  EdgeQueue queue{edge_of({.items = kMany}), true};
  queue.start(0, 0);
  for (std::int64_t i = 0; i < kMany; ++i) {
    (void)push(queue, i, 0);
  }
  for (std::int64_t day = 1; day <= 30; ++day) {
    (void)queue.pop(day * kDay, day);
    (void)push(queue, kMany + day, day * kDay);
  }
  while (queue.size() > 0) {
    (void)queue.pop(30 * kDay, 1);
  }
  const EdgeRecord record = queue.record(30 * kDay);
  EXPECT_THAT(record.mean_fill, DoubleEq(kMany));
  EXPECT_EQ(record.full_ns, 30 * kDay);
}

TEST(EdgeQueue, RefusesToPopFromNothing) {
  EdgeQueue queue{edge_of({.items = 2}), true};
  EXPECT_THROW((void)queue.pop(0, 1), InternalError);
}

TEST(EdgeQueue, DropsTheNewestWhereItsRuleSaysSo) {
  EdgeQueue queue{edge_of({.items = 2}, {.when_full = WhenFull::kDropNewest}), true};
  queue.start(0, 0);
  EXPECT_EQ(push(queue, 0, 1).lost, 0);
  EXPECT_EQ(push(queue, 1, 1).lost, 0);
  EXPECT_TRUE(queue.credit().available);
  const EdgeQueue::Pushed dropped = push(queue, 2, 1);
  EXPECT_TRUE(dropped.accepted);
  EXPECT_EQ(dropped.lost, 1);
  EXPECT_EQ(queue.pop(2, 1).item.seq, 0);
  EXPECT_EQ(queue.pop(2, 1).item.seq, 1);
  const EdgeRecord record = queue.record(3);
  EXPECT_EQ(record.items, 3);
  EXPECT_EQ(record.drops, 1);
  EXPECT_EQ(record.full_ns, 1);
}

TEST(EdgeQueue, DropsTheOldestUntilTheNewestHasRoom) {
  EdgeQueue queue{edge_of({.items = 3, .bytes = 30}, {.when_full = WhenFull::kDropOldest}), true};
  queue.start(0, 0);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(push(queue, i, 1, 10).lost, 0);
  }
  EXPECT_EQ(push(queue, 3, 1, 20).lost, 2);
  EXPECT_EQ(queue.pop(2, 1).item.seq, 2);
  EXPECT_EQ(queue.pop(2, 1).item.seq, 3);
  const EdgeRecord record = queue.record(3);
  EXPECT_EQ(record.items, 4);
  EXPECT_EQ(record.drops, 2);
  EXPECT_EQ(record.residence.count(), 2);
  EXPECT_EQ(record.untaken_ns, 0);  // they came and went in the same moment
}

TEST(EdgeQueue, KnowsHowLongItHeldWhatNobodyTook) {
  EdgeQueue queue{edge_of({.items = 4}), true};
  queue.start(0, 0);
  (void)push(queue, 0, 10);
  (void)push(queue, 1, 10);
  EXPECT_EQ(queue.pop(15, 1).item.seq, 0);
  const EdgeRecord record = queue.record(30);
  EXPECT_EQ(record.abandoned, 1);
  EXPECT_EQ(record.untaken_ns, 20);
  EXPECT_EQ(record.residence.sum(), 5);
}

TEST(EdgeQueue, LooksFullOnlyWhereItsStageMustWait) {
  for (const WhenFull rule : {WhenFull::kBlock, WhenFull::kDropNewest, WhenFull::kDropOldest, WhenFull::kFail}) {
    EdgeQueue queue{edge_of({.items = 1}, {.when_full = rule}), true};
    queue.start(0, 0);
    EXPECT_FALSE(queue.live().is_full);
    (void)push(queue, 0, 1);
    EXPECT_EQ(queue.live().fill, 1);
    EXPECT_EQ(queue.live().is_full, rule == WhenFull::kBlock);
  }
}

TEST(EdgeQueue, SaysWhereItsRuleCallsAnOverflowAnError) {
  EdgeQueue queue{edge_of({.items = 1}, {.when_full = WhenFull::kFail}), true};
  queue.start(0, 0);
  EXPECT_FALSE(push(queue, 0, 1).overflowed);
  EXPECT_TRUE(push(queue, 1, 1).overflowed);
}

TEST(EdgeQueue, HoldsItsInitialItemsFromTheStart) {
  NumberSource source{1};
  Graph::Edge edge = edge_of({.items = 3}, {.feedback = true, .initial = 2});
  edge.from = &source.out;
  EdgeQueue queue{edge, true};
  queue.start(0, 0);
  EXPECT_EQ(queue.size(), 2);
  EXPECT_TRUE(push(queue, 0, 1).accepted);
  EXPECT_FALSE(push(queue, 1, 1).accepted);
  EXPECT_EQ(queue.pop(2, 1).item.seq, -2);
}

TEST(EdgeQueue, KeepsWhenItemsCameAndWentAndWhoTookThem) {
  EdgeQueue queue{edge_of({.items = 2}, {.when_full = WhenFull::kDropNewest}), true};
  queue.start(100, 0);
  for (std::int64_t i = 0; i < 3; ++i) {
    Item item = item_of(i);
    item.from_firing = i + 1;
    EXPECT_TRUE(queue.try_push(item, 110 + i).accepted);
  }
  (void)queue.pop(120, 7);
  (void)queue.discard(130);
  const EdgeTimeline timeline = queue.timeline(140);
  EXPECT_FALSE(timeline.blocks);
  ASSERT_EQ(timeline.items.size(), 3U);
  const ItemEvent& dropped = timeline.items[0];
  EXPECT_EQ(std::tuple(dropped.seq, dropped.from_firing, dropped.to_firing, dropped.pushed, dropped.popped),
            std::tuple(2, 3, 0, 112, 112));
  const ItemEvent& taken = timeline.items[1];
  EXPECT_EQ(std::tuple(taken.seq, taken.from_firing, taken.to_firing, taken.pushed, taken.popped),
            std::tuple(0, 1, 7, 110, 120));
  const ItemEvent& given_up = timeline.items[2];
  EXPECT_EQ(std::tuple(given_up.seq, given_up.to_firing, given_up.popped), std::tuple(1, 0, 130));
}

TEST(EdgeQueue, GivesUpWhatIsStillInsideInTheEnd) {
  EdgeQueue queue{edge_of({.items = 2}), true};
  queue.start(100, 0);
  EXPECT_TRUE(push(queue, 0, 110).accepted);
  EXPECT_TRUE(push(queue, 1, 111).accepted);
  (void)queue.pop(120, 1);
  const EdgeTimeline timeline = queue.timeline(200);
  ASSERT_EQ(timeline.items.size(), 2U);
  const ItemEvent& inside = timeline.items[1];
  EXPECT_EQ(std::tuple(inside.seq, inside.to_firing, inside.pushed, inside.popped), std::tuple(1, 0, 111, 200));
  EXPECT_EQ(queue.timeline(300).items.size(), 2U);
}

}  // namespace
}  // namespace dflash
