// SPDX-License-Identifier: Apache-2.0
#include "stages/models/draft_head.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "stages/models/draft_head_chunk.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

struct Outcome {
  LossSums sums;
  std::vector<double> gradient;  // of the hidden states
};

Outcome outcome(const HeadOptions& options, std::int64_t slots = 5) {
  const GoldenProblem problem = golden_problem();
  const BlockLayout layout = problem.layout(slots);
  const at::Tensor hidden = golden_uniform(7, {slots * 4, 16}, -1, 1).set_requires_grad(true);
  LossSums sums = draft_loss(hidden, {problem.head, golden_uniform(8, {20, 16}, -1, 1)}, layout, options);
  sums.numerator.backward();
  return {sums, numbers(hidden.grad())};
}

std::vector<double> all_numbers(const Outcome& outcome) {
  auto all = outcome.gradient;
  for (const auto& tensor : {outcome.sums.numerator, outcome.sums.denominator, outcome.sums.correct, outcome.sums.total,
                             outcome.sums.accept_tokens, outcome.sums.accept_blocks}) {
    const auto more = numbers(tensor);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

class ChunkSizes : public ::testing::TestWithParam<std::tuple<HeadForm, LossType, std::int64_t>> {};

TEST_P(ChunkSizes, ChangeNeitherLossNorGradientNorMetrics) {
  const auto [form, loss, blocks] = GetParam();
  const auto whole = all_numbers(outcome({.form = HeadForm::kWhole, .loss = loss, .gamma = 4}));
  const auto chunked = all_numbers(outcome({.form = form, .loss = loss, .gamma = 4, .chunk_blocks = blocks}));
  EXPECT_THAT(chunked, Pointwise(DoubleNear(1e-10), whole));
}

INSTANTIATE_TEST_SUITE_P(DraftHead, ChunkSizes,
                         ::testing::Combine(::testing::Values(HeadForm::kChunked, HeadForm::kRecompute),
                                            ::testing::Values(LossType::kCe, LossType::kDpace, LossType::kKl),
                                            ::testing::Values(1, 2, 5, 100)));

TEST(DraftHead, IgnoresDeadSlots) {
  const Outcome few = outcome({.gamma = 4});
  const GoldenProblem problem = golden_problem();
  const at::Tensor hidden = at::cat({golden_uniform(7, {20, 16}, -1, 1), at::full({8, 16}, 1e30, at::kDouble)});
  const LossSums padded = draft_loss(hidden, {problem.head, {}}, problem.layout(7), {.gamma = 4});
  EXPECT_EQ(padded.numerator.item<double>(), few.sums.numerator.item<double>());
  EXPECT_EQ(padded.accept_blocks.item<double>(), 5);
}

TEST(DraftHead, CountsCorrectRowsBySlotAndTheLeadingOnesOfABlock) {
  const GoldenProblem problem = golden_problem();
  const BlockLayout layout = problem.layout();
  const at::Tensor head = at::eye(40, at::kDouble);
  at::Tensor hidden = at::zeros({20, 40}, at::kDouble);
  hidden.index_put_({layout.supervised_rows, layout.labels}, at::ones({12}, at::kDouble));
  hidden[2].zero_();
  hidden[2][39] = 1;
  const LossSums sums = draft_loss(hidden, {head, {}}, layout, {});
  EXPECT_THAT(numbers(sums.total), ElementsAre(0, 5, 4, 3));
  EXPECT_THAT(numbers(sums.correct), ElementsAre(0, 5, 3, 3));
  EXPECT_EQ(sums.accept_tokens.item<double>(), 5 + 1 + 3 + 1 + 3 + 2);
  EXPECT_EQ(sums.accept_blocks.item<double>(), 5);
}

TEST(DraftHead, GivesTheFrozenHeadNoGradient) {
  const GoldenProblem problem = golden_problem();
  const at::Tensor hidden = golden_uniform(7, {20, 16}, -1, 1).set_requires_grad(true);
  const auto before = numbers(problem.head);
  draft_loss(hidden, {problem.head, {}}, problem.layout(), {}).numerator.backward();
  EXPECT_FALSE(problem.head.grad().defined());
  EXPECT_EQ(numbers(problem.head), before);
}

TEST(DraftHead, LeavesChunksWithoutSupervisedRowsOut) {
  GoldenProblem problem = golden_problem();
  std::fill(problem.loss_mask.begin(), problem.loss_mask.begin() + 11, 0);
  EXPECT_THAT(head_chunks(problem.layout(), 1), SizeIs(2));
}

TEST(DraftHead, RefusesSoftLabelsWithoutATeacher) {
  const GoldenProblem problem = golden_problem();
  const at::Tensor hidden = golden_uniform(7, {20, 16}, -1, 1);
  EXPECT_THAT([&] { draft_loss(hidden, {problem.head, {}}, problem.layout(), {.loss = LossType::kKl}); },
              ThrowsMessage<UserError>(HasSubstr("'kl' needs the target's own predictions")));
}

TEST(DraftHead, RefusesALayoutWithoutSupervision) {
  GoldenProblem problem = golden_problem();
  problem.loss_mask.assign(20, 0);
  EXPECT_THROW(draft_loss(golden_uniform(7, {20, 16}, -1, 1), {problem.head, {}}, problem.layout(), {}), InternalError);
}

}  // namespace
}  // namespace dflash
