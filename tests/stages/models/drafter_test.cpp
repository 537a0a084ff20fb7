// SPDX-License-Identifier: Apache-2.0
#include "stages/models/drafter.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "stages/models/attention_mask.h"
#include "stages/models/draft_head.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

struct GoldenNumbers {
  GoldenLayout layout;
  std::vector<double> logits;  // block 0, slot 1, first three
  double loss;                 // sum m*w normaliser, gamma 4
  double loss_by_count;        // the same numerator over (sum m + 1e-5)
  double loss_uniform;
  double dpace_numerator;
  double dpace_loss;
  std::vector<double> gradients;  // of `loss`, at the entries of `gradient_entries`
};

const GoldenNumbers kGolden[] = {
    {GoldenLayout::kFull,
     {1.800458108593, 0.103229169507, -4.736476608610},
     6.663299431408,
     5.516538287643,
     6.722571645188,
     37.736162461814,
     6.416635914598,
     {-0.062842992, 0.163159030, -0.019404343, -0.176922154, -0.033435023, -0.001748894, 0.376311367}},
    {GoldenLayout::kSlidingCausal,
     {1.641532589949, 1.025832179268, -4.984803959261},
     6.828018791288,
     5.652909264942,
     6.804631815148,
     39.140089943534,
     6.785721434713,
     {-0.053139906, 0.223561832, -0.106874549, -0.253241857, -0.078346784, 0.009663913, 0.583887756}},
    {GoldenLayout::kSlidingBidirectional,
     {1.836543334640, -0.304798602534, -4.792636893258},
     6.645470599662,
     5.501777817404,
     6.666090631770,
     38.058127963171,
     6.511601266472,
     {-0.063570594, 0.186738893, -0.086276984, -0.259169963, -0.098106218, 0.013970241, 0.530392369}},
};

std::vector<double> gradient_entries(const DrafterWeights& w) {
  const auto& first = w.layers[0];
  const auto& last = w.layers[1];
  return {w.fc.grad()[2][5].item<double>(),        w.hidden_norm.grad()[3].item<double>(),
          first.q_norm.grad()[1].item<double>(),   first.k_proj.grad()[1][7].item<double>(),
          last.v_proj.grad()[9][2].item<double>(), last.down_proj.grad()[4][11].item<double>(),
          w.norm.grad()[6].item<double>()};
}

at::Tensor hidden_of(const GoldenProblem& problem, const DrafterOptions& options = {}) {
  return drafter_forward(problem.config, problem.weights, problem.embedding, problem.features, problem.layout(),
                         options);
}

LossSums loss_of(const GoldenProblem& problem, const HeadOptions& head, const DrafterOptions& options = {}) {
  return draft_loss(hidden_of(problem, options), {problem.head, {}}, problem.layout(), head);
}

double ratio(const at::Tensor& numerator, double denominator) { return numerator.item<double>() / denominator; }

class GoldenDrafter : public ::testing::TestWithParam<GoldenNumbers> {};

TEST_P(GoldenDrafter, GivesTheLogits) {
  const GoldenProblem problem = golden_problem(GetParam().layout);
  const at::Tensor logits = at::linear(hidden_of(problem)[1], problem.head).narrow(0, 0, 3);
  EXPECT_THAT(numbers(logits), Pointwise(DoubleNear(1e-10), GetParam().logits));
}

TEST_P(GoldenDrafter, GivesTheLossesOfAllWeightings) {
  const GoldenProblem problem = golden_problem(GetParam().layout);
  const LossSums decayed = loss_of(problem, {.gamma = 4});
  const LossSums uniform = loss_of(problem, {.gamma = 0});
  const LossSums dpace = loss_of(problem, {.loss = LossType::kDpace});
  EXPECT_NEAR(ratio(decayed.numerator, decayed.denominator.item<double>()), GetParam().loss, 1e-10);
  EXPECT_NEAR(ratio(decayed.numerator, 12 + 1e-5), GetParam().loss_by_count, 1e-10);
  EXPECT_NEAR(ratio(uniform.numerator, uniform.denominator.item<double>()), GetParam().loss_uniform, 1e-10);
  EXPECT_NEAR(dpace.numerator.item<double>(), GetParam().dpace_numerator, 1e-10);
  EXPECT_NEAR(ratio(dpace.numerator, dpace.denominator.item<double>()), GetParam().dpace_loss, 1e-10);
}

TEST_P(GoldenDrafter, GivesTheGradients) {
  const GoldenProblem problem = golden_problem(GetParam().layout);
  const LossSums sums = loss_of(problem, {.gamma = 4});
  (sums.numerator / sums.denominator).backward();
  EXPECT_THAT(gradient_entries(problem.weights), Pointwise(DoubleNear(2e-9), GetParam().gradients));
}

INSTANTIATE_TEST_SUITE_P(AllLayouts, GoldenDrafter, ::testing::ValuesIn(kGolden));

TEST(Drafter, GivesTheGoldenContextFeatures) {
  const GoldenProblem problem = golden_problem();
  EXPECT_THAT(problem.ids, ElementsAre(16, 34, 33, 19, 15, 22, 35, 17, 7, 20, 30, 27, 21, 26, 33, 30, 23, 6, 29, 5));
  const at::Tensor context = context_features(problem.config, problem.weights, problem.features);
  EXPECT_THAT(numbers(context[3].narrow(0, 0, 4)),
              Pointwise(DoubleNear(1e-10), {2.095911175292, 1.654728946324, -1.307441701805, -0.037617725639}));
}

struct Variant {
  GoldenLayout layout;
  DrafterOptions options;
  HeadForm head;
  LossType loss;
  bool given_mask;
};

/// Loss and all gradients of one variant.
std::vector<double> outcome(const Variant& variant, at::ScalarType dtype) {
  const GoldenProblem problem = golden_problem(variant.layout, dtype);
  BlockLayout layout = problem.layout(7);
  if (variant.given_mask) {
    layout.dense_full = dense_mask(layout, visibility_rule(problem.config, LayerKind::kFull));
    layout.dense_sliding = dense_mask(layout, visibility_rule(problem.config, LayerKind::kSliding));
  }
  const at::Tensor hidden =
      drafter_forward(problem.config, problem.weights, problem.embedding, problem.features, layout, variant.options);
  const HeadOptions head{.form = variant.head, .loss = variant.loss, .gamma = 4, .chunk_blocks = 2};
  const LossSums sums = draft_loss(hidden, {problem.head, golden_uniform(9, {20, 16}, -1, 1).to(dtype)}, layout, head);
  sums.numerator.backward();
  return numbers(at::cat({sums.numerator.detach().reshape(1).to(at::kDouble),
                          sums.denominator.reshape(1).to(at::kDouble), sums.correct.to(at::kDouble),
                          sums.accept_tokens.reshape(1).to(at::kDouble), flat_gradients(problem.weights)}));
}

class DrafterVariants : public ::testing::TestWithParam<std::tuple<GoldenLayout, LossType>> {
 protected:
  Variant reference() const {
    return {std::get<0>(GetParam()),
            {.fc = FeatureFusion::kConcat, .attention = AttentionForm::kDense},
            HeadForm::kWhole,
            std::get<1>(GetParam()),
            false};
  }
};

TEST_P(DrafterVariants, AgreeInLossAndAllGradients) {
  const auto expected = outcome(reference(), at::kDouble);
  Variant variant = reference();
  variant.options = {.fc = FeatureFusion::kSplit, .attention = AttentionForm::kSliced, .slice_blocks = 2};
  for (const HeadForm head : {HeadForm::kWhole, HeadForm::kChunked, HeadForm::kRecompute}) {
    variant.head = head;
    EXPECT_THAT(outcome(variant, at::kDouble), Pointwise(DoubleNear(1e-10), expected));
  }
}

TEST_P(DrafterVariants, AgreeInSinglePrecision) {
  const auto expected = outcome(reference(), at::kFloat);
  Variant variant = reference();
  variant.options = {.fc = FeatureFusion::kSplit, .attention = AttentionForm::kSliced, .slice_blocks = 2};
  variant.head = HeadForm::kChunked;
  EXPECT_THAT(outcome(variant, at::kFloat), Pointwise(DoubleNear(2e-4), expected));
}

TEST_P(DrafterVariants, TakeADenseMaskInPlaceOfIntervals) {
  const auto expected = outcome(reference(), at::kDouble);
  Variant variant = reference();
  variant.given_mask = true;
  EXPECT_THAT(outcome(variant, at::kDouble), Pointwise(DoubleNear(1e-10), expected));
  variant.options.attention = AttentionForm::kSliced;
  EXPECT_THAT(outcome(variant, at::kDouble), Pointwise(DoubleNear(1e-10), expected));
}

INSTANTIATE_TEST_SUITE_P(AllLayoutsAndLosses, DrafterVariants,
                         ::testing::Combine(::testing::Values(GoldenLayout::kFull, GoldenLayout::kSlidingCausal,
                                                              GoldenLayout::kSlidingBidirectional),
                                            ::testing::Values(LossType::kCe, LossType::kDpace, LossType::kKl)));

}  // namespace
}  // namespace dflash
