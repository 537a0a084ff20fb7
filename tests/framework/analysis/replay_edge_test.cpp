// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/replay_edge.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::Field;

TEST(ReplayEdge, HasRoomForItsCapacityAndFreesAPlaceByAPop) {
  const ModelEdge model{.name = "a.out->b.in", .capacity_items = 2};
  ReplayEdge edge{model};
  EXPECT_TRUE(edge.push({.from_firing = 1}, 10));
  EXPECT_TRUE(edge.push({.from_firing = 2}, 20));
  EXPECT_FALSE(edge.has_credit());
  EXPECT_FALSE(edge.push({.from_firing = 3}, 30));
  EXPECT_EQ(edge.pop(40, 1, false).from_firing, 1);
  EXPECT_TRUE(edge.has_credit());
  EXPECT_EQ(edge.credit_since(), 40);
}

TEST(ReplayEdge, KeepsThePlaceOfAnItemThatADeviceWorksOn) {
  const ModelEdge model{.name = "a.out->b.in", .capacity_items = 1};
  ReplayEdge edge{model};
  EXPECT_TRUE(edge.push({}, 10));
  (void)edge.pop(20, 1, true);
  EXPECT_FALSE(edge.has_credit());
  edge.free_place(50);
  EXPECT_TRUE(edge.has_credit());
  EXPECT_EQ(edge.credit_since(), 50);
}

TEST(ReplayEdge, IsOverOnceItHasEndedAndIsEmpty) {
  const ModelEdge model{.name = "a.out->b.in", .capacity_items = 4, .inside = {kNoFiring}};
  ReplayEdge edge{model};
  edge.end(10);
  EXPECT_FALSE(edge.is_over());
  (void)edge.pop(20, 1, false);
  EXPECT_TRUE(edge.is_over());
}

TEST(ReplayEdge, DropsAndDiscardsWithoutHoldingAnybodyUp) {
  const ModelEdge model{.name = "a.out->b.in", .capacity_items = 1, .blocks = false};
  ReplayEdge edge{model};
  EXPECT_TRUE(edge.push({.from_firing = 1}, 10));
  EXPECT_TRUE(edge.push({.from_firing = 2}, 20));
  edge.discard(30);
  EXPECT_TRUE(edge.push({.from_firing = 3}, 40));
  const EdgeRecord record = edge.record(50);
  EXPECT_EQ(record.drops, 1);
  EXPECT_EQ(record.abandoned, 2);
  EXPECT_THAT(edge.timeline().items, ElementsAre(Field(&ItemEvent::from_firing, 2), Field(&ItemEvent::from_firing, 1),
                                                 Field(&ItemEvent::from_firing, 3)));
}

TEST(ReplayEdge, MeasuresItsFill) {
  const ModelEdge model{.name = "a.out->b.in", .capacity_items = 1};
  ReplayEdge edge{model};
  (void)edge.push({}, 40);
  (void)edge.pop(100, 1, false);
  edge.finish(200);
  const EdgeRecord record = edge.record(200);
  EXPECT_EQ(record.full_ns, 60);
  EXPECT_EQ(record.empty_ns, 140);
  EXPECT_DOUBLE_EQ(record.mean_fill, 0.3);
  EXPECT_EQ(record.max_fill, 1);
}

}  // namespace
}  // namespace dflash
