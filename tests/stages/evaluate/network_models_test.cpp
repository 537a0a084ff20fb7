// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/network_models.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "stages/models/generate.h"
#include "tests/stages/evaluate/zlab_golden.h"

namespace dflash {
namespace {

using test::golden_decode;
using test::golden_drafter;
using test::golden_prompts;
using test::golden_target;

AnswerOptions greedy_options() { return {.new_tokens = golden_decode().at("new_tokens"), .block_size = 8}; }

DecodedBatch speculate(const DrafterWeights& drafter, const AnswerOptions& options) {
  const DecodeModels models = network_models(golden_target().config, golden_target().weights, golden_drafter().config,
                                             drafter, options.new_tokens);
  const auto target = models.target(true);
  const auto proposer = models.drafter();
  return speculative_decode(*target, *proposer, golden_prompts(), options);
}

DecodedBatch plain(const AnswerOptions& options) {
  const DecodeModels models = network_models(golden_target().config, golden_target().weights, golden_drafter().config,
                                             golden_drafter().weights, options.new_tokens);
  return plain_decode(*models.target(false), golden_prompts(), options);
}

std::vector<std::vector<std::int64_t>> tokens_of(const DecodedBatch& batch) {
  std::vector<std::vector<std::int64_t>> tokens;
  std::transform(batch.answers.begin(), batch.answers.end(), std::back_inserter(tokens),
                 [](const DecodedAnswer& answer) { return answer.tokens; });
  return tokens;
}

Json as_golden(const DecodedBatch& batch) {
  Json answers = Json::array();
  for (const DecodedAnswer& answer : batch.answers) {
    answers.push_back({{"tokens", answer.tokens}, {"accepted", accepted_lengths(answer.rounds)}});
  }
  return answers;
}

TEST(NetworkModels, DecodeAsZlabsOwnCodeDoes) {
  EXPECT_EQ(as_golden(speculate(golden_drafter().weights, greedy_options())), golden_decode().at("answers"));
}

TEST(NetworkModels, StopAsZlabsOwnCodeDoes) {
  AnswerOptions options = greedy_options();
  options.stop_ids = {golden_decode().at("stop").get<std::int64_t>()};
  EXPECT_EQ(as_golden(speculate(golden_drafter().weights, options)), golden_decode().at("stopped_answers"));
}

TEST(NetworkModels, EqualPlainGreedyDecodingWithAnOverfittedDrafter) {
  const DecodedBatch drafted = speculate(golden_drafter().weights, greedy_options());
  EXPECT_EQ(tokens_of(drafted), tokens_of(plain(greedy_options())));
  EXPECT_THAT(accepted_lengths(drafted.answers[1].rounds), ::testing::ElementsAre(8, 8, 8, 8, 7));
}

TEST(NetworkModels, EqualPlainGreedyDecodingWithARandomDrafter) {
  const DecodedBatch drafted = speculate(init_drafter(golden_drafter().config, 3), greedy_options());
  EXPECT_EQ(tokens_of(drafted), tokens_of(plain(greedy_options())));
}

TEST(NetworkModels, EqualPlainSamplingWithTheSameSeed) {
  AnswerOptions options = greedy_options();
  options.choice = {.temperature = 0.6, .seed = 11};
  EXPECT_EQ(tokens_of(speculate(golden_drafter().weights, options)), tokens_of(plain(options)));
  EXPECT_NE(tokens_of(plain(options)), tokens_of(plain(greedy_options())));
}

TEST(NetworkModels, EqualTheTargetsOwnGeneration) {
  std::vector<Prompt> prompts;
  for (const std::vector<std::int64_t>& ids : golden_prompts()) {
    prompts.push_back({.ids = ids, .row_id = static_cast<std::int64_t>(prompts.size())});
  }
  const SamplingOptions sampling{.temperature = 0.6, .seed = 11};
  AnswerOptions options = greedy_options();
  options.choice = sampling;
  EXPECT_EQ(tokens_of(speculate(golden_drafter().weights, options)),
            generate(golden_target().weights, golden_target().config, prompts,
                     {.max_new_tokens = options.new_tokens, .stop_ids = {}, .sampling = sampling}));
}

/// Ten prompts, decoded with and without a drafter by a target that computes in `type`.
AcceptanceReport beside_plain(at::ScalarType type) {
  std::vector<std::vector<std::int64_t>> prompts = golden_prompts();
  for (std::int64_t first = 2; prompts.size() < 10; ++first) {
    prompts.push_back({first, 3, 2 * first});
  }
  const TargetWeights target =
      load_target(test::golden_folder() / "target", golden_target().config, type, at::Device{at::kCPU});
  const DrafterWeights drafter =
      map_parameters(golden_drafter().weights, [&](const at::Tensor& value) { return value.to(type); });
  return evaluate_acceptance(network_models(golden_target().config, target, golden_drafter().config, drafter, 40),
                             prompts, {.block_size = 8, .new_tokens = 40, .plain = true, .threads = 1});
}

TEST(NetworkModels, A06EqualPlainGreedyDecodingInFp32TenTimesOfTen) {
  EXPECT_EQ(beside_plain(at::kFloat).equal_to_plain, 10);
}

TEST(NetworkModels, A06ReportWhereBf16PartsFromPlainGreedyDecoding) {
  const AcceptanceReport report = beside_plain(at::kBFloat16);
  EXPECT_EQ(*report.equal_to_plain + std::ssize(report.first_differences), 10);
  EXPECT_EQ(to_json(report).at("first_differences").size(), report.first_differences.size());
}

TEST(NetworkModels, ReplayToTheAcceptanceLengthOfTrueDecoding) {
  const DecodeModels models = network_models(golden_target().config, golden_target().weights, golden_drafter().config,
                                             golden_drafter().weights, 40);
  const AcceptanceReport report = evaluate_acceptance(
      models, golden_prompts(), {.block_size = 8, .new_tokens = 40, .plain = true, .replay = true, .threads = 1});
  EXPECT_DOUBLE_EQ(report.greedy.tau, golden_decode().at("tau").get<double>());
  EXPECT_DOUBLE_EQ(report.replay->tau, report.greedy.tau);
  EXPECT_EQ(report.equal_to_plain, static_cast<std::int64_t>(golden_prompts().size()));
}

}  // namespace
}  // namespace dflash
