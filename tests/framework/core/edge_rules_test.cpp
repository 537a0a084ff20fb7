// SPDX-License-Identifier: Apache-2.0
#include "framework/core/edge_rules.h"

#include <gmock/gmock.h>

#include "tests/framework/number_stages.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::Optional;

const ItemTypeInfo kPlain{.name = "word"};

TEST(EdgeRules, AreRightAsTheyAreByDefault) {
  EXPECT_EQ(mistake_of({}, {}, kPlain), std::nullopt);
  const EdgeParams params;
  EXPECT_EQ(params.rules().when_full, WhenFull::kBlock);
}

TEST(EdgeRules, RefuseCapacitiesBelowOne) {
  EXPECT_THAT(mistake_of({.items = 0}, {}, kPlain), Optional(HasSubstr("items is 0; at least 1")));
  EXPECT_THAT(mistake_of({.items = 1, .bytes = -1}, {}, item_type<std::int64_t>()),
              Optional(HasSubstr("bytes is -1; at least 1")));
}

TEST(EdgeRules, RefuseAByteBoundWhereItemsDoNotSayTheirBytes) {
  EXPECT_THAT(mistake_of({.bytes = 1024}, {}, kPlain), Optional(HasSubstr("'word' do not say their bytes")));
}

TEST(EdgeRules, LetOnlyFeedbackEdgesHoldInitialItemsAndNoMoreThanTheirCapacity) {
  const ItemTypeInfo& number = item_type<std::int64_t>();
  EXPECT_EQ(mistake_of({.items = 2}, {.feedback = true, .initial = 2}, number), std::nullopt);
  EXPECT_THAT(mistake_of({.items = 2}, {.feedback = true, .initial = 3}, number),
              Optional(HasSubstr("found 3 initial items, allowed: 0 to 2")));
  EXPECT_THAT(mistake_of({}, {.initial = 1}, number), Optional(HasSubstr("no feedback edge")));
  EXPECT_THAT(mistake_of({}, {.feedback = true, .initial = 1}, kPlain),
              Optional(HasSubstr("'word' have no initial value")));
}

}  // namespace
}  // namespace dflash
