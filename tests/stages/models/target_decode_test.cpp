// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_decode.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/stages/models/target_goldens.h"

namespace dflash {
namespace {

class TargetDecode : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] TargetCache new_cache(std::int64_t max_length = 40) const {
    TargetCache cache = make_target_cache(goldens_.config, 2, max_length, at::TensorOptions().dtype(at::kFloat));
    return cache;
  }
  DecodeOutput prefill(TargetCache& cache, const DecodeOptions& options) const {
    const RaggedTokens padded = pad_prompts({goldens_.ids(0), goldens_.ids(1)}, at::kCPU);
    return target_decode(goldens_.weights, goldens_.config, cache, padded.ids, padded.counts, options);
  }
  /// Rows of the two documents of [2, tokens, ...], one under the other.
  [[nodiscard]] at::Tensor rows(const at::Tensor& batch) const {
    return at::cat(
        {batch[0].narrow(0, 0, std::ssize(goldens_.ids(0))), batch[1].narrow(0, 0, std::ssize(goldens_.ids(1)))});
  }
  TargetGoldens goldens_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Families, TargetDecode, testing::ValuesIn(kTargetGoldens),
                         [](const auto& tested) { return tested.param; });

TEST_P(TargetDecode, PrefillsPromptsOfDifferentLengths) {
  TargetCache cache = new_cache();
  const DecodeOutput output = prefill(cache, {.tap_ids = {0, 1}});
  EXPECT_LT(relative_difference(rows(output.logits), goldens_.both("logits")), 1e-5);
  EXPECT_LT(relative_difference(rows(output.taps[0]), goldens_.both("hidden_states.1")), 1e-5);
  EXPECT_LT(relative_difference(rows(output.taps[1]), goldens_.both("hidden_states.2")), 1e-5);
  EXPECT_THAT(cache.lengths, testing::ElementsAre(17, 5));
}

TEST_P(TargetDecode, GivesTheLastTokensLogitsAlone) {
  TargetCache cache = new_cache();
  const DecodeOutput output = prefill(cache, {.last_logits_only = true});
  ASSERT_EQ(output.logits.size(1), 1);
  EXPECT_LT(relative_difference(output.logits[0], goldens_.values.tensor("logits.0").narrow(0, 16, 1)), 1e-5);
  EXPECT_LT(relative_difference(output.logits[1], goldens_.values.tensor("logits.1").narrow(0, 4, 1)), 1e-5);
}

TEST_P(TargetDecode, AgreesInPiecesOfAnySizeWithTheFullForward) {
  const at::Tensor ids = goldens_.values.tensor("ids.0");
  TargetCache cache = new_cache();
  std::vector<at::Tensor> logits;
  for (const at::Tensor& piece : ids.split_with_sizes({1, 4, 1, 11})) {
    const at::Tensor both = piece.unsqueeze(0).repeat({2, 1});
    const std::vector<std::int64_t> counts(2, piece.size(0));
    logits.push_back(target_decode(goldens_.weights, goldens_.config, cache, both, counts, {}).logits);
  }
  const at::Tensor all = at::cat(logits, 1);
  EXPECT_LT(relative_difference(all[0], goldens_.values.tensor("logits.0")), 1e-5);
  EXPECT_LT(relative_difference(all[1], goldens_.values.tensor("logits.0")), 1e-5);
}

TEST_P(TargetDecode, ForgetsWhatWasCroppedRowByRow) {
  TargetCache cache = new_cache();
  prefill(cache, {});
  const std::vector<std::int64_t> wrong(4, 3);
  target_decode(goldens_.weights, goldens_.config, cache, at::full({2, 4}, 3, at::kLong), {4, 4}, {});
  crop(cache, {9, 2});
  const at::Tensor first = goldens_.values.tensor("ids.0").slice(0, 9, 12);
  const at::Tensor second = goldens_.values.tensor("ids.1").slice(0, 2, 5);
  const DecodeOutput output =
      target_decode(goldens_.weights, goldens_.config, cache, at::stack({first, second}), {3, 3}, {});
  EXPECT_LT(relative_difference(output.logits[0], goldens_.values.tensor("logits.0").slice(0, 9, 12)), 1e-5);
  EXPECT_LT(relative_difference(output.logits[1], goldens_.values.tensor("logits.1").slice(0, 2, 5)), 1e-5);
  EXPECT_THAT(cache.lengths, testing::ElementsAre(12, 5));
}

TEST_P(TargetDecode, KeepsRowsInTheOrderGiven) {
  TargetCache cache = new_cache();
  prefill(cache, {});
  keep(cache, {1, 0});
  crop(cache, {4, 16});
  const at::Tensor last =
      at::stack({goldens_.values.tensor("ids.1").slice(0, 4, 5), goldens_.values.tensor("ids.0").slice(0, 16, 17)});
  const at::Tensor logits = target_decode(goldens_.weights, goldens_.config, cache, last, {1, 1}, {}).logits;
  EXPECT_LT(relative_difference(logits[0], goldens_.values.tensor("logits.1").slice(0, 4, 5)), 1e-5);
  EXPECT_LT(relative_difference(logits[1], goldens_.values.tensor("logits.0").slice(0, 16, 17)), 1e-5);
}

TEST_P(TargetDecode, RefusesMoreThanTheCacheHoldsAndUselessCounts) {
  TargetCache cache = new_cache(18);
  prefill(cache, {});
  const auto decode = [&](std::int64_t tokens, const std::vector<std::int64_t>& counts) {
    target_decode(goldens_.weights, goldens_.config, cache, at::ones({2, tokens}, at::kLong), counts, {});
  };
  EXPECT_THROW(decode(2, {2, 2}), InternalError);
  EXPECT_THROW(decode(1, {0, 1}), InternalError);
  EXPECT_THROW(decode(1, {2, 1}), InternalError);
  EXPECT_THROW(decode(1, {1}), InternalError);
  EXPECT_NO_THROW(decode(1, {1, 1}));
}

}  // namespace
}  // namespace dflash
