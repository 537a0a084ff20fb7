// SPDX-License-Identifier: Apache-2.0
#include "stages/data/epoch_cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"

namespace dflash {
namespace {

std::vector<std::int64_t> take(EpochCursor& cursor, int count) {
  std::vector<std::int64_t> rows;
  for (int i = 0; i < count; ++i) {
    rows.push_back(cursor.next().value().row);
  }
  return rows;
}

TEST(EpochCursor, GivesEveryRowOnceAnEpochAndThenEnds) {
  EpochCursor cursor{{.rows = 5, .epochs = 2, .shuffle = true, .seed = 1}};
  const std::vector<std::int64_t> first = take(cursor, 5);
  const std::vector<std::int64_t> second = take(cursor, 5);
  EXPECT_THAT(first, testing::UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(second, testing::UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(cursor.next(), std::nullopt);
  EXPECT_EQ(cursor.next(), std::nullopt);
}

TEST(EpochCursor, OrderDependsOnSeedAndEpoch) {
  EpochCursor cursor{{.rows = 50, .epochs = 0, .shuffle = true, .seed = 1}};
  EpochCursor same{{.rows = 50, .epochs = 0, .shuffle = true, .seed = 1}};
  EpochCursor other{{.rows = 50, .epochs = 0, .shuffle = true, .seed = 2}};
  const std::vector<std::int64_t> first = take(cursor, 50);
  EXPECT_EQ(take(same, 50), first);
  EXPECT_NE(take(other, 50), first);
  EXPECT_NE(take(cursor, 50), first);
}

TEST(EpochCursor, KeepsTheFilesOrderWithoutShuffling) {
  EpochCursor cursor{{.rows = 3, .epochs = 0, .shuffle = false}};
  EXPECT_THAT(take(cursor, 7), testing::ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST(EpochCursor, GoesOnWhereItWasSaved) {
  EpochCursor cursor{{.rows = 7, .epochs = 0, .shuffle = true, .seed = 3}};
  take(cursor, 10);
  EpochCursor resumed{{.rows = 7, .epochs = 0, .shuffle = true, .seed = 3}};
  resumed.load(cursor.save());
  EXPECT_EQ(take(resumed, 20), take(cursor, 20));
}

TEST(EpochCursor, RefusesAPositionInDataOfAnotherSize) {
  const EpochCursor cursor{{.rows = 7}};
  EpochCursor other{{.rows = 8}};
  EXPECT_THROW(other.load(cursor.save()), UserError);
}

}  // namespace
}  // namespace dflash
