// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/decode_rows.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using ::testing::ElementsAre;

at::Tensor matrix(const std::vector<std::int64_t>& values, std::int64_t columns) {
  return at::tensor(values, at::kLong).view({-1, columns});
}

DecodeRows two_rows(std::int64_t first_limit, std::int64_t second_limit) {
  DecodeRows rows(
      {.prompt_lengths = {3, 5}, .new_tokens = {first_limit, second_limit}, .stop_ids = {9}, .block_size = 4});
  rows.add_tokens(matrix({10, 20}, 1));
  return rows;
}

TEST(DecodeRows, CountPositionsFromThePromptsEnds) {
  const DecodeRows rows = two_rows(10, 10);
  EXPECT_THAT(rows.last_tokens(), ElementsAre(10, 20));
  EXPECT_THAT(rows.last_positions(), ElementsAre(3, 5));
  EXPECT_THAT(rows.next_positions(), ElementsAre(4, 6));
}

TEST(DecodeRows, ShrinkTheBlockToWhatFits) { EXPECT_THAT(two_rows(10, 3).block_sizes(), ElementsAre(4, 3)); }

TEST(DecodeRows, AcceptEachRowsOwnPrefixAndTheTargetsNextToken) {
  DecodeRows rows = two_rows(10, 10);
  EXPECT_THAT(rows.add_rounds(matrix({1, 2, 3, 1, 2, 3}, 3), matrix({1, 2, 8, 0, 7, 2, 3, 0}, 4), {4, 4}),
              ElementsAre(3, 1));
  const std::vector<DecodedAnswer> answers = rows.take_answers();
  EXPECT_THAT(answers[0].tokens, ElementsAre(10, 1, 2, 8));
  EXPECT_THAT(answers[1].tokens, ElementsAre(20, 7));
}

TEST(DecodeRows, CutARoundAtTheLimitOfItsRow) {
  DecodeRows rows = two_rows(10, 3);
  EXPECT_THAT(rows.add_rounds(matrix({1, 2, 3, 1, 2, 0}, 3), matrix({1, 2, 3, 4, 1, 2, 5, 0}, 4), {4, 3}),
              ElementsAre(4, 2));
  EXPECT_THAT(rows.drop_finished(), ElementsAre(0));
  EXPECT_EQ(rows.take_answers()[1].rounds[0].drafted, 2);
}

TEST(DecodeRows, CutARoundBehindAStopTokenAndDropTheRow) {
  DecodeRows rows = two_rows(10, 10);
  EXPECT_THAT(rows.add_rounds(matrix({1, 9, 3, 5, 6, 7}, 3), matrix({1, 9, 3, 4, 5, 6, 7, 8}, 4), {4, 4}),
              ElementsAre(2, 4));
  EXPECT_THAT(rows.drop_finished(), ElementsAre(1));
  EXPECT_THAT(rows.prompts(), ElementsAre(1));
  EXPECT_THAT(rows.last_tokens(), ElementsAre(8));
}

TEST(DecodeRows, IgnoreWhatIsDraftedBeyondARowsOwnBlock) {
  DecodeRows rows = two_rows(10, 2);
  EXPECT_THAT(rows.add_rounds(matrix({1, 2, 3, 1, 2, 3}, 3), matrix({1, 2, 3, 4, 1, 2, 3, 4}, 4), {4, 2}),
              ElementsAre(4, 1));
}

TEST(DecodeRows, RefuseAPromptOrALimitWithoutTokens) {
  EXPECT_THROW(DecodeRows({.prompt_lengths = {0}, .new_tokens = {1}}), UserError);
  EXPECT_THROW(DecodeRows({.prompt_lengths = {1}, .new_tokens = {0}}), InternalError);
}

}  // namespace
}  // namespace dflash
