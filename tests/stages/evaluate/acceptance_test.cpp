// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/acceptance.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(Acceptance, PoolsTokensOverTheRoundsOfAllPrompts) {
  // 4 tokens in one round, 4 tokens in four: pooled 8/5, mean of the prompts' means 2.5.
  const auto statistics = acceptance_statistics({{{4, 3}}, {{1, 0}, {1, 0}, {1, 0}, {1, 0}}}, 4);
  EXPECT_THAT(statistics.tau, DoubleEq(1.6));
  EXPECT_THAT(statistics.tau_of_prompts, DoubleEq(2.5));
  EXPECT_THAT(statistics.accepted_drafts, DoubleEq(0.6));
  EXPECT_EQ(statistics.tokens, 8);
  EXPECT_EQ(statistics.rounds, 5);
}

TEST(Acceptance, CountsASlotAsAcceptedWhereTheRoundReachedIt) {
  const auto statistics = acceptance_statistics({{{1, 0}, {3, 2}, {4, 3}, {2, 1}}}, 4);
  EXPECT_THAT(statistics.slot_acceptance, ElementsAre(0.75, 0.5, 0.25));
}

// Four rounds of a block of 4, by hand. The last is cut at the limit, and had one slot.
TEST(Acceptance, A04CountsEachSlotAmongAllThatHadItAndAmongThoseThatReachedIt) {
  const auto slots = acceptance_statistics({{{1, 0}, {3, 2}, {4, 3}, {1, 1, 1}}}, 4).slots;
  ASSERT_EQ(slots.size(), 3U);
  const auto counts = [&](std::size_t i) {
    return std::vector<std::int64_t>{slots[i].offered, slots[i].reached, slots[i].accepted};
  };
  EXPECT_THAT(counts(0), ElementsAre(4, 4, 3));
  EXPECT_THAT(counts(1), ElementsAre(3, 2, 2));
  EXPECT_THAT(counts(2), ElementsAre(3, 2, 1));
  EXPECT_THAT(slots[1].marginal(), DoubleEq(2.0 / 3.0));
  EXPECT_THAT(slots[1].conditional(), DoubleEq(1.0));
  EXPECT_THAT(slots[2].conditional(), DoubleEq(0.5));
  EXPECT_EQ(SlotAcceptance{}.conditional(), 0.0);
}

TEST(Acceptance, IsTheBlockSizeForWholeBlocks) {
  const auto statistics = acceptance_statistics({{{8, 7}, {8, 7}}, {{8, 7}}}, 8);
  EXPECT_THAT(statistics.tau, DoubleEq(8.0));
  EXPECT_THAT(statistics.slot_acceptance, ::testing::Each(1.0));
}

TEST(Acceptance, TakesARoundThatWasCutInsideItsDraft) {
  const auto statistics = acceptance_statistics({{{8, 7}, {5, 5}}}, 8);
  EXPECT_THAT(statistics.tau, DoubleEq(6.5));
  EXPECT_THAT(statistics.accepted_drafts, DoubleNear(6.0, 1e-12));
}

TEST(Acceptance, LeavesPromptsWithoutARoundOutOfTheMean) {
  const auto statistics = acceptance_statistics({{}, {{3, 2}}}, 4);
  EXPECT_EQ(statistics.prompts, 2);
  EXPECT_THAT(statistics.tau_of_prompts, DoubleEq(3.0));
}

TEST(Acceptance, IsZeroWithoutRounds) {
  const auto statistics = acceptance_statistics({}, 4);
  EXPECT_EQ(statistics.tau, 0.0);
  EXPECT_EQ(statistics.tau_of_prompts, 0.0);
}

TEST(Acceptance, RefusesARoundLongerThanTheBlock) {
  EXPECT_THROW(acceptance_statistics({{{5, 4}}}, 4), InternalError);
  EXPECT_THROW(acceptance_statistics({{{0, 0}}}, 4), InternalError);
  EXPECT_THROW(acceptance_statistics({{{2, 3}}}, 4), InternalError);
  EXPECT_THROW(acceptance_statistics({{{3, 2, 1}}}, 4), InternalError);
}

TEST(Acceptance, ListsWhatEachRoundEmitted) {
  EXPECT_THAT(accepted_lengths({{4, 3}, {1, 0}, {2, 2}}), ElementsAre(4, 1, 2));
}

}  // namespace
}  // namespace dflash
