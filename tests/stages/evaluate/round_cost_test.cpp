// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/round_cost.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

using ::testing::DoubleEq;

// Two prompts of 3 and 5 tokens, answered by 1 + 8 + 4 and 1 + 8 tokens.
const std::vector<std::vector<std::int64_t>> kPrompts{{1, 2, 3}, {1, 2, 3, 4, 5}};

DecodedBatch plain(double seconds) {
  return {.answers = {{.tokens = std::vector<std::int64_t>(13)}, {.tokens = std::vector<std::int64_t>(9)}},
          .decode_seconds = seconds};
}

DecodedBatch drafted(double draft_seconds, double verify_seconds) {
  return {.answers = {{.tokens = std::vector<std::int64_t>(13), .rounds = {{8, 7}, {4, 3}}},
                      {.tokens = std::vector<std::int64_t>(9), .rounds = {{8, 7}}}},
          .decode_seconds = 1.0,
          .draft_seconds = draft_seconds,
          .verify_seconds = verify_seconds};
}

TEST(RoundCost, T04ComparesARoundWithTheTokensThatItBrings) {
  const RoundCost cost = round_cost(plain(0.040), drafted(0.003, 0.009), kPrompts, 6.0);
  EXPECT_THAT(cost.plain_ms, DoubleEq(2.0));  // 40 ms for 20 tokens
  EXPECT_THAT(cost.draft_ms, DoubleEq(1.0));  // 3 rounds
  EXPECT_THAT(cost.verify_ms, DoubleEq(3.0));
  EXPECT_THAT(cost.speedup, DoubleEq(3.0));         // 6 tokens for 4 ms, instead of 12 ms
  EXPECT_THAT(cost.context, DoubleEq(22.0 / 3.0));  // behind 4, 12 and 6 tokens
}

TEST(RoundCost, T04FallsBelowOneWhereADrafterDoesNotPay) {
  EXPECT_LT(round_cost(plain(0.040), drafted(0.003, 0.009), kPrompts, 1.9).speedup, 1.0);
}

TEST(RoundCost, IsZeroWithoutRounds) {
  const RoundCost cost = round_cost({}, {}, {}, 0.0);
  EXPECT_EQ(cost.speedup, 0.0);
  EXPECT_EQ(cost.context, 0.0);
}

}  // namespace
}  // namespace dflash
