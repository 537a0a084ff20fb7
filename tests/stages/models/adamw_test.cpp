// SPDX-License-Identifier: Apache-2.0
#include "stages/models/adamw.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;

at::Tensor leaf(const std::vector<double>& values, at::ScalarType type = at::kFloat) {
  return at::tensor(values, at::kDouble).to(type).set_requires_grad(true);
}

void give_gradient(at::Tensor& tensor, const std::vector<double>& values) {
  tensor.mutable_grad() = at::tensor(values, at::kDouble).to(tensor.scalar_type());
}

at::Tensor one() { return at::ones({}); }

/// Three steps with changing gradients, as numbers of both parameters.
std::vector<double> three_steps(AdamWOptions options) {
  at::Tensor a = leaf({1, -2, 3});
  at::Tensor b = leaf({0.5});
  AdamW optimizer({{"a", a}, {"b", b}}, options);
  for (const double sign : {1.0, -0.5, 2.0}) {
    give_gradient(a, {sign, 2 * sign, -3 * sign});
    give_gradient(b, {0.1 * sign});
    optimizer.step(0.01, one() * 2);
  }
  return numbers(at::cat({a, b}));
}

TEST(AdamW, MovesByTheLearningRateInItsFirstStep) {
  at::Tensor a = leaf({1, 2});
  AdamW optimizer({{"a", a}}, {.max_norm = 0});
  give_gradient(a, {3, -0.2});
  optimizer.step(0.1, one());
  EXPECT_THAT(numbers(a), ElementsAre(::testing::DoubleNear(0.9, 1e-6), ::testing::DoubleNear(2.1, 1e-6)));
}

TEST(AdamW, ComputesTheSameFusedAndTensorByTensor) {
  AdamWOptions options{.weight_decay = 0.1};
  const auto fused = three_steps(options);
  options.fused = false;
  EXPECT_THAT(three_steps(options), Pointwise(::testing::DoubleNear(1e-6), fused));
}

class AdamWVariants : public ::testing::TestWithParam<bool> {};

TEST_P(AdamWVariants, ClipToTheGlobalNormAndTellIt) {
  at::Tensor a = leaf({0, 0});
  AdamW optimizer({{"a", a}}, {.max_norm = 1.0, .fused = GetParam()});
  give_gradient(a, {6, 8});
  const AdamWStep step = optimizer.step(0.1, one() * 2);
  EXPECT_FLOAT_EQ(step.grad_norm.item<float>(), 5.0F);
  EXPECT_THAT(numbers(optimizer.state().at("exp_avg.a")), Pointwise(::testing::DoubleNear(1e-6), {0.06, 0.08}));
}

TEST_P(AdamWVariants, LeaveShortGradientsUnclipped) {
  at::Tensor a = leaf({0, 0});
  AdamW optimizer({{"a", a}}, {.max_norm = 10.0, .fused = GetParam()});
  give_gradient(a, {6, 8});
  optimizer.step(0.1, one() * 2);
  EXPECT_THAT(numbers(optimizer.state().at("exp_avg.a")), Pointwise(::testing::DoubleNear(1e-6), {0.3, 0.4}));
}

TEST_P(AdamWVariants, ChangeNothingOnAZeroDenominator) {
  at::Tensor a = leaf({1, 2});
  AdamW optimizer({{"a", a}}, {.weight_decay = 0.5, .fused = GetParam()});
  give_gradient(a, {0, 0});
  const AdamWStep step = optimizer.step(0.1, at::zeros({}));
  EXPECT_EQ(step.skipped.item<float>(), 1.0F);
  EXPECT_EQ(step.grad_norm.item<float>(), 0.0F);
  EXPECT_THAT(numbers(a), ElementsAre(1, 2));
  EXPECT_EQ(optimizer.state().at("step").item<float>(), 0.0F);
}

TEST_P(AdamWVariants, KeepWhatALowPrecisionCopyWouldLose) {
  at::Tensor a = leaf({1.0}, at::kBFloat16);
  AdamW optimizer({{"a", a}}, {.fused = GetParam()});
  for (int i = 0; i < 100; ++i) {
    give_gradient(a, {1.0});
    optimizer.step(1e-4, one());
  }
  EXPECT_NEAR(optimizer.state().at("master.a").item<double>(), 0.99, 1e-5);
  EXPECT_EQ(a.scalar_type(), at::kBFloat16);
  EXPECT_NEAR(a.item<double>(), 0.99, 4e-3);
}

TEST_P(AdamWVariants, ContinueFromASavedStateBitForBit) {
  at::Tensor a = leaf({1, -2});
  AdamW first({{"a", a}}, {.fused = GetParam()});
  give_gradient(a, {0.3, -0.1});
  first.step(0.01, one());
  std::map<std::string, at::Tensor> saved;
  for (const auto& [name, tensor] : first.state()) {
    saved.emplace(name, tensor.clone());
  }
  at::Tensor b = leaf({0, 0});
  AdamW second({{"a", b}}, {.fused = GetParam()});
  second.load_state(saved, "checkpoint");
  give_gradient(a, {0.2, 0.4});
  give_gradient(b, {0.2, 0.4});
  first.step(0.01, one());
  second.step(0.01, one());
  EXPECT_EQ(numbers(b), numbers(a));
}

INSTANTIATE_TEST_SUITE_P(FusedOrNot, AdamWVariants, ::testing::Bool());

TEST(AdamW, DoesNotDependOnHowABatchIsSplit) {
  const auto train = [](const std::vector<std::vector<double>>& numerator_gradients) {
    at::Tensor a = leaf({1, 2});
    AdamW optimizer({{"a", a}}, {});
    give_gradient(a, {0, 0});
    for (const auto& part : numerator_gradients) {
      a.mutable_grad().add_(at::tensor(part));
    }
    optimizer.step(0.1, one() * 7);
    return numbers(optimizer.state().at("exp_avg.a"));
  };
  EXPECT_THAT(train({{1, 2}, {3, 5}, {0.5, 0.25}}), Pointwise(::testing::DoubleNear(1e-7), train({{4.5, 7.25}})));
}

TEST(AdamW, RefusesAParameterWithoutAGradient) {
  AdamW optimizer({{"a", leaf({1})}}, {});
  EXPECT_THAT([&] { optimizer.step(0.1, one()); }, ThrowsMessage<InternalError>(HasSubstr("'a' has no gradient")));
}

TEST(AdamW, NamesAllThatIsWrongWithAState) {
  AdamW optimizer({{"a", leaf({1, 2})}}, {});
  auto saved = optimizer.state();
  saved["exp_avg.a"] = at::zeros({3});
  saved["master.b"] = at::zeros({2});
  saved.erase("step");
  EXPECT_THAT(
      [&] { optimizer.load_state(saved, "ckpt"); },
      ThrowsMessage<UserError>(AllOf(HasSubstr("ckpt"), HasSubstr("'exp_avg.a' has 3"), HasSubstr("'step' is missing"),
                                     HasSubstr("'master.b' is unknown; did you mean 'master.a'"))));
}

}  // namespace
}  // namespace dflash
