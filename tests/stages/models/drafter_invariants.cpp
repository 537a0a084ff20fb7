// SPDX-License-Identifier: Apache-2.0
// What must hold of a drafter whatever its weights: who may see what, and what must not matter.
#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/models/draft_head.h"
#include "stages/models/drafter.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Not;
using ::testing::Pointwise;

at::Tensor hidden_of(const GoldenProblem& problem, std::int64_t slots = 5) {
  return drafter_forward(problem.config, problem.weights, problem.embedding, problem.features, problem.layout(slots));
}

/// Hidden states of `block` of the problem with its five anchors: [block_size, hidden].
std::vector<double> block_of(const at::Tensor& hidden, std::int64_t block) {
  return numbers(hidden.narrow(0, block * 4, 4));
}

double loss_of(const GoldenProblem& problem, std::int64_t slots = 5) {
  const LossSums sums = draft_loss(hidden_of(problem, slots), {problem.head, {}}, problem.layout(slots), {.gamma = 4});
  return sums.numerator.item<double>() / sums.denominator.item<double>();
}

class EveryBlock : public ::testing::TestWithParam<std::tuple<GoldenLayout, std::int64_t>> {
 protected:
  GoldenProblem problem_ = golden_problem(std::get<0>(GetParam()));
  std::int64_t block_ = std::get<1>(GetParam());
  std::int64_t anchor_ = problem_.anchors[static_cast<std::size_t>(block_)];
};

TEST_P(EveryBlock, IsIndependentOfTheOthers) {
  const auto together = block_of(hidden_of(problem_), block_);
  problem_.anchors = {anchor_};
  EXPECT_THAT(block_of(hidden_of(problem_, 1), 0), Pointwise(DoubleNear(1e-10), together));
}

TEST_P(EveryBlock, SeesNoFeatureFromItsAnchorOn) {
  const auto before = block_of(hidden_of(problem_), block_);
  problem_.features.base.narrow(0, anchor_, 20 - anchor_).fill_(9.0);
  EXPECT_THAT(block_of(hidden_of(problem_), block_), Pointwise(DoubleNear(1e-10), before));
}

TEST_P(EveryBlock, SeesTheFeatureBeforeItsAnchor) {
  const auto before = block_of(hidden_of(problem_), block_);
  problem_.features.base[anchor_ - 1].fill_(-5.0);
  EXPECT_THAT(block_of(hidden_of(problem_), block_), Not(Pointwise(DoubleNear(1e-4), before)));
}

TEST_P(EveryBlock, SendsNoGradientToFeaturesItCannotSee) {
  problem_.features.base.set_requires_grad(true);
  hidden_of(problem_).narrow(0, block_ * 4, 4).sum().backward();
  const at::Tensor gradient = problem_.features.base.grad();
  const std::int64_t document = anchor_ < 11 ? 0 : 11;
  EXPECT_THAT(numbers(gradient.narrow(0, anchor_, 20 - anchor_)), Each(0.0));
  EXPECT_THAT(numbers(gradient.narrow(0, 0, document)), Each(0.0));
}

INSTANTIATE_TEST_SUITE_P(AllLayouts, EveryBlock,
                         ::testing::Combine(::testing::Values(GoldenLayout::kFull, GoldenLayout::kSlidingCausal,
                                                              GoldenLayout::kSlidingBidirectional),
                                            ::testing::Values(0, 1, 2, 3, 4)));

TEST(DrafterInvariants, TheOrderOfDocumentsDoesNotMatter) {
  const GoldenProblem problem = golden_problem();
  GoldenProblem swapped = golden_problem();
  const auto swap = [](auto& list) { std::rotate(list.begin(), list.begin() + 11, list.begin() + 18); };
  swap(swapped.ids);
  swap(swapped.loss_mask);
  const at::Tensor base = problem.features.base;
  swapped.features.base = at::cat({base.narrow(0, 11, 7), base.narrow(0, 0, 11), base.narrow(0, 18, 2)});
  swapped.documents = {{1, 0, 7}, {0, 7, 11}};
  swapped.anchors = {3, 4, 11, 13, 16};
  EXPECT_NEAR(loss_of(swapped), loss_of(problem), 1e-10);
  EXPECT_THAT(block_of(hidden_of(swapped), 2), Pointwise(DoubleNear(1e-10), block_of(hidden_of(problem), 0)));
}

TEST(DrafterInvariants, PaddingAndDeadSlotsDoNotMatter) {
  GoldenProblem padded = golden_problem();
  const double expected = loss_of(padded);
  padded.features.base = at::cat({padded.features.base, at::full({5, 32}, 100.0, at::kDouble)});
  padded.ids.resize(25, 3);
  padded.loss_mask.resize(25, 0);
  EXPECT_NEAR(loss_of(padded, 9), expected, 1e-10);
}

TEST(DrafterInvariants, TheOrderOfAnchorsDoesNotMatter) {
  GoldenProblem shuffled = golden_problem();
  shuffled.anchors = {14, 4, 15, 9, 6};
  EXPECT_EQ(loss_of(shuffled), loss_of(golden_problem()));
}

TEST(DrafterInvariants, AWindowLongerThanThePackIsNoWindow) {
  GoldenProblem wide = golden_problem(GoldenLayout::kSlidingBidirectional);
  wide.config.window = 1000;
  EXPECT_THAT(numbers(hidden_of(wide)), Pointwise(DoubleNear(1e-10), numbers(hidden_of(golden_problem()))));
}

TEST(DrafterInvariants, ASlotOfACausalBlockDoesNotSeeLaterOnes) {
  const GoldenProblem problem = golden_problem(GoldenLayout::kSlidingCausal);
  BlockLayout layout = problem.layout();
  const auto run = [&] {
    return drafter_forward(problem.config, problem.weights, problem.embedding, problem.features, layout)
        .narrow(0, 0, 3);
  };
  const auto before = numbers(run());
  layout.block_ids[3] = 7;
  EXPECT_THAT(numbers(run()), Pointwise(DoubleNear(1e-10), before));
}

TEST(DrafterInvariants, GradientsOfEveryTensorMatchFiniteDifferences) {
  const GoldenProblem problem = golden_problem(GoldenLayout::kSlidingCausal);
  const LossSums sums = draft_loss(hidden_of(problem), {problem.head, {}}, problem.layout(), {.gamma = 4});
  sums.numerator.backward();
  const at::NoGradGuard no_grad;
  const double denominator = sums.denominator.item<double>();
  for_each_parameter(problem.weights, [&](const std::string& name, const at::Tensor& tensor) {
    at::Tensor entry = tensor.flatten()[tensor.numel() / 2];
    const auto loss_at = [&](double shift) {
      entry.add_(shift);
      const double loss = loss_of(problem);
      entry.sub_(shift);
      return loss;
    };
    const double difference = (loss_at(1e-5) - loss_at(-1e-5)) / 2e-5 * denominator;
    EXPECT_NEAR(tensor.grad().flatten()[tensor.numel() / 2].item<double>(), difference, 1e-7) << name;
  });
}

TEST(DrafterInvariants, TheFrozenEmbeddingGetsNoGradientAndStaysAsItIs) {
  const GoldenProblem problem = golden_problem();
  const auto before = numbers(problem.embedding);
  hidden_of(problem).sum().backward();
  EXPECT_FALSE(problem.embedding.grad().defined());
  EXPECT_EQ(numbers(problem.embedding), before);
}

TEST(DrafterInvariants, DeadSlotsStayFinite) {
  EXPECT_TRUE(at::isfinite(hidden_of(golden_problem(GoldenLayout::kSlidingCausal), 9)).all().item<bool>());
}

TEST(DrafterInvariants, SplittingAPackLeavesTheGradientUnchanged) {
  const auto gradient_of = [](const std::vector<std::vector<std::int64_t>>& parts) {
    GoldenProblem problem = golden_problem();
    at::Tensor denominator = at::zeros({}, at::kDouble);
    for (const auto& anchors : parts) {
      problem.anchors = anchors;
      const LossSums sums = draft_loss(hidden_of(problem), {problem.head, {}}, problem.layout(), {.gamma = 4});
      sums.numerator.backward();
      denominator = denominator + sums.denominator;
    }
    return numbers(flat_gradients(problem.weights) / denominator);
  };
  EXPECT_THAT(gradient_of({{4, 9}, {6, 14, 15}}), Pointwise(DoubleNear(1e-10), gradient_of({{4, 6, 9, 14, 15}})));
}

}  // namespace
}  // namespace dflash
