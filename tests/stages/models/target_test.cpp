// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target.h"

#include <numeric>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/stages/models/target_goldens.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class TargetParity : public testing::TestWithParam<std::string> {
 protected:
  TargetGoldens goldens_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Families, TargetParity, testing::ValuesIn(kTargetGoldens),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(OfYourOwn, TargetParity, testing::ValuesIn(own_target_goldens()));

TEST_P(TargetParity, TapIdIIsTheResidualStreamAfterLayerI) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(goldens_.config.num_hidden_layers - 1));
  std::iota(all.begin(), all.end(), 0);
  const TargetOutput output = target_forward(goldens_.weights, goldens_.config, goldens_.packed(0), {.tap_ids = all});
  ASSERT_EQ(output.taps.size(), all.size());
  EXPECT_FALSE(output.hidden.defined());
  for (std::size_t id = 0; id < all.size(); ++id) {
    EXPECT_LT(relative_difference(output.taps[id], goldens_.both(fmt::format("hidden_states.{}", id + 1))), 1e-5) << id;
  }
}

TEST_P(TargetParity, LastHiddenStateIsAfterTheFinalNormAndGivesTheLogits) {
  const TargetOutput output =
      target_forward(goldens_.weights, goldens_.config, goldens_.packed(0), {.to_final_norm = true});
  EXPECT_TRUE(output.taps.empty());
  EXPECT_LT(relative_difference(output.hidden, goldens_.both(goldens_.last())), 1e-5);
  EXPECT_LT(relative_difference(target_logits(goldens_.weights, output.hidden), goldens_.both("logits")), 1e-5);
}

TEST_P(TargetParity, PaddingRowsChangeNothingAndStayFinite) {
  const TargetOutput output =
      target_forward(goldens_.weights, goldens_.config, goldens_.packed(6), {.tap_ids = {1}, .to_final_norm = true});
  ASSERT_EQ(output.hidden.size(0), goldens_.both("ids").size(0) + 6);
  const at::Tensor covered = output.hidden.narrow(0, 0, goldens_.both("ids").size(0));
  EXPECT_LT(relative_difference(covered, goldens_.both(goldens_.last())), 1e-5);
  EXPECT_TRUE(at::isfinite(output.hidden).all().item<bool>());
  EXPECT_TRUE(at::isfinite(output.taps[0]).all().item<bool>());
}

class TargetForward : public testing::Test {
 protected:
  TargetConfig config_{.vocab_size = 11,
                       .hidden_size = 8,
                       .intermediate_size = 12,
                       .num_hidden_layers = 2,
                       .num_attention_heads = 4,
                       .num_key_value_heads = 2,
                       .head_dim = 4,
                       .max_position_embeddings = 64,
                       .rope_theta = 1e4,
                       .tie_word_embeddings = true};
  PackedTokens tokens_{.ids = at::tensor({1, 2, 3, 4, 5, 6, 7, 0}, at::kLong),
                       .positions = at::tensor({0, 1, 2, 3, 0, 1, 2, 0}, at::kLong),
                       .document_starts = {0, 4, 7}};

  [[nodiscard]] TargetWeights wide_weights() const {
    TargetWeights weights = init_target(config_, 3, at::kCPU);
    for_each_parameter(weights, [](const std::string&, at::Tensor& parameter) {
      parameter = (parameter.to(at::kDouble) * (parameter.dim() == 2 ? 10.0 : 1.0)).requires_grad_();
    });
    return weights;
  }
  [[nodiscard]] at::Tensor loss(const TargetWeights& weights) const {
    const TargetOutput output = target_forward(weights, config_, tokens_, {.tap_ids = {0}, .to_final_norm = true});
    const at::Tensor logits = target_logits(weights, output.hidden.narrow(0, 0, 6));
    return at::log_softmax(logits, -1).select(1, 2).sum() + output.taps[0].narrow(0, 0, 7).sin().sum();
  }
  void expect_gradients_of_finite_differences() const {
    TargetWeights weights = wide_weights();
    loss(weights).backward();
    for_each_parameter(weights, [&](const std::string& name, at::Tensor& parameter) {
      const at::NoGradGuard no_grad;
      at::Generator generator = at::detail::createCPUGenerator(5);
      const at::Tensor direction = at::randn(parameter.sizes(), generator, parameter.options().requires_grad(false));
      const double step = 1e-6;
      parameter.add_(direction, step);
      const double up = loss(weights).item<double>();
      parameter.add_(direction, -2 * step);
      const double down = loss(weights).item<double>();
      parameter.add_(direction, step);
      const double expected = (parameter.grad() * direction).sum().item<double>();
      EXPECT_NEAR((up - down) / (2 * step), expected, 1e-6 * std::max(1.0, std::abs(expected))) << name;
    });
  }
};

TEST_F(TargetForward, HasTheGradientsOfFiniteDifferencesInEveryParameter) { expect_gradients_of_finite_differences(); }

TEST_F(TargetForward, HasTheGradientsOfFiniteDifferencesInAllBiases) {
  config_.family = TargetFamily::kLlama;
  config_.attention_bias = true;
  expect_gradients_of_finite_differences();
}

// Layer 1 alone does anything: what leaves layer 0 is what came in, and what leaves layer 2 is what left layer 1.
TEST_F(TargetForward, E02TapsTheOutputOfALayerAndNotItsInput) {
  config_.num_hidden_layers = 4;
  TargetWeights weights = init_target(config_, 3, at::kCPU);
  for (std::size_t layer = 0; layer < weights.layers.size(); ++layer) {
    if (layer != 1) {
      weights.layers[layer].o_proj.zero_();
      weights.layers[layer].down_proj.zero_();
    }
  }
  const std::vector<at::Tensor> taps = target_forward(weights, config_, tokens_, {.tap_ids = {0, 1, 2}}).taps;
  EXPECT_TRUE(at::equal(taps[0], weights.embedding.index({tokens_.ids})));
  EXPECT_FALSE(at::equal(taps[1], taps[0]));
  EXPECT_TRUE(at::equal(taps[2], taps[1]));
  for (const std::int64_t beyond : {std::int64_t{-1}, std::int64_t{4}}) {
    EXPECT_THROW(target_forward(weights, config_, tokens_, {.tap_ids = {beyond}}), UserError) << beyond;
  }
}

TEST_F(TargetForward, LetsATokenSeeAWindowAloneInSlidingLayers) {
  config_.layer_types = {LayerKind::kSliding, LayerKind::kSliding};
  config_.sliding_window = 2;
  const TargetWeights weights = wide_weights();
  const at::Tensor before = target_forward(weights, config_, tokens_, {.tap_ids = {0}}).taps[0];
  tokens_.ids = at::tensor({9, 2, 3, 4, 9, 6, 7, 0}, at::kLong);
  const at::Tensor after = target_forward(weights, config_, tokens_, {.tap_ids = {0}}).taps[0];
  const at::Tensor changed = (before - after).abs().amax(1).gt(1e-9);
  EXPECT_TRUE(at::equal(changed, at::tensor({1, 1, 0, 0, 1, 1, 0, 0}).to(at::kBool))) << changed;
}

TEST_F(TargetForward, LetsNoTokenSeeALaterOneOrAnotherDocument) {
  const TargetWeights weights = wide_weights();
  const at::Tensor before = target_forward(weights, config_, tokens_, {.to_final_norm = true}).hidden;
  tokens_.ids = at::tensor({1, 2, 9, 4, 5, 6, 7, 0}, at::kLong);
  const at::Tensor after = target_forward(weights, config_, tokens_, {.to_final_norm = true}).hidden;
  const at::Tensor changed = (before - after).abs().amax(1).gt(1e-9);
  EXPECT_TRUE(at::equal(changed, at::tensor({0, 0, 1, 1, 0, 0, 0, 0}).to(at::kBool))) << changed;
}

TEST_F(TargetForward, RefusesTapsOfTheLastLayerAndBeyondAndOutOfOrder) {
  const TargetWeights weights = wide_weights();
  const auto run = [&](std::vector<std::int64_t> ids) {
    return [&, ids] { target_forward(weights, config_, tokens_, {.tap_ids = ids}); };
  };
  EXPECT_THAT(run({1}), ThrowsMessage<UserError>(HasSubstr("0 to 0 (the target has 2 layers")));
  EXPECT_THAT(run({-1}), ThrowsMessage<UserError>(HasSubstr("found [-1]")));
  EXPECT_THAT(run({0, 0}), ThrowsMessage<UserError>(HasSubstr("ascending")));
}

TEST_F(TargetForward, RefusesDocumentBoundsThatDoNotFitTheRows) {
  const TargetWeights weights = wide_weights();
  const auto run = [&](std::vector<std::int64_t> starts) {
    tokens_.document_starts = std::move(starts);
    target_forward(weights, config_, tokens_, {.tap_ids = {0}});
  };
  EXPECT_THROW(run({0, 9}), InternalError);
  EXPECT_THROW(run({0, 4, 4}), InternalError);
  EXPECT_THROW(run({1, 4}), InternalError);
  EXPECT_THROW(run({0}), InternalError);
}

}  // namespace
}  // namespace dflash
