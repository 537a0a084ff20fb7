// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/acceptance_evaluation.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/stages/evaluate/scripted_models.h"

namespace dflash {
namespace {

using test::ScriptedDrafter;
using test::ScriptedTarget;

const std::vector<std::vector<std::int64_t>> kPrompts{{1, 2, 3}, {4}, {5, 6, 7, 8, 9, 10}};

bool at_random(std::int64_t position) { return counter_uniform(1, {static_cast<std::uint64_t>(position)}) < 0.2; }

DecodeModels scripted_models() {
  return {.target = [](bool) { return std::make_unique<ScriptedTarget>(); },
          .drafter = [] { return std::make_unique<ScriptedDrafter>(at_random); }};
}

AcceptanceReport evaluate(const AcceptanceOptions& options) {
  return evaluate_acceptance(scripted_models(), kPrompts, options);
}

TEST(AcceptanceEvaluation, MeasuresOnlyTheGreedyLengthUnlessAskedForMore) {
  const Json json = to_json(evaluate({.block_size = 8, .new_tokens = 30}));
  EXPECT_GT(json.at("tau").get<double>(), 2.0);
  EXPECT_EQ(json.at("slot_acceptance").size(), 7U);
  for (const char* absent : {"lower_overlap", "sampled", "replay", "plain_tokens_per_s", "batch", "equal_to_plain"}) {
    EXPECT_FALSE(json.contains(absent)) << absent;
  }
}

TEST(AcceptanceEvaluation, AgreesWithReplayAndPlainDecoding) {
  const AcceptanceReport report = evaluate({.block_size = 8, .new_tokens = 30, .plain = true, .replay = true});
  EXPECT_EQ(report.equal_to_plain, 3);
  EXPECT_DOUBLE_EQ(report.replay->tau, report.greedy.tau);
  EXPECT_GT(report.batch_speed->plain, 0.0);
  EXPECT_GT(report.batch_speed->speculative, 0.0);
}

TEST(AcceptanceEvaluation, MeasuresSpeedOnTheFirstPromptsAloneAndOneByOne) {
  std::vector<std::size_t> batches;
  class Counting final : public BatchTarget {
   public:
    explicit Counting(std::vector<std::size_t>& batches) : batches_{batches} {}
    TargetReadout prefill(const std::vector<std::vector<std::int64_t>>& prompts) override {
      batches_.push_back(prompts.size());
      return inner_.prefill(prompts);
    }
    TargetReadout extend(const at::Tensor& tokens) override { return inner_.extend(tokens); }
    void crop(const std::vector<std::int64_t>& lengths) override { inner_.crop(lengths); }
    void keep(const std::vector<std::int64_t>& rows) override { inner_.keep(rows); }

   private:
    std::vector<std::size_t>& batches_;
    ScriptedTarget inner_;
  };
  DecodeModels models = scripted_models();
  models.target = [&](bool) { return std::make_unique<Counting>(batches); };
  const AcceptanceReport report =
      evaluate_acceptance(models, kPrompts, {.block_size = 8, .new_tokens = 30, .speed_prompts = 2});
  EXPECT_THAT(batches, ::testing::ElementsAre(3U, 1U, 1U, 1U, 1U));
  EXPECT_GT(to_json(report).at("plain_tokens_per_s").get<double>(), 0.0);
}

TEST(AcceptanceEvaluation, AcceptsLessOnSampledAnswers) {
  const AcceptanceReport report = evaluate({.block_size = 8, .new_tokens = 30, .sampled_temperature = 1.0, .seed = 5});
  EXPECT_LT(report.sampled->tau, report.greedy.tau);
  EXPECT_EQ(to_json(report).at("sampled").at("temperature"), 1.0);
}

TEST(AcceptanceEvaluation, CountsTheHalfOfLowerOverlapAlone) {
  NgramSet training;
  training.add(evaluate({.block_size = 8, .new_tokens = 30}).greedy_answers.answers[1].tokens);
  const AcceptanceReport report = evaluate({.block_size = 8, .new_tokens = 30, .training_answers = &training});
  EXPECT_EQ(report.lower_overlap->prompts, 2);
  EXPECT_THAT(report.overlap->lower, ::testing::ElementsAre(0U, 2U));
  const std::int64_t tokens = report.greedy.tokens - 29;
  EXPECT_EQ(report.lower_overlap->tokens, tokens);
  EXPECT_NEAR(to_json(report).at("overlap").at("in_training").get<double>(), 1.0 / 3.0, 1e-9);
}

TEST(AcceptanceEvaluation, RestoresTheThreadCount) {
  const int before = at::get_num_threads();
  (void)evaluate({.block_size = 8, .new_tokens = 4, .threads = before + 1});
  EXPECT_EQ(at::get_num_threads(), before);
}

TEST(AcceptanceEvaluation, RefusesToMeasureNothing) {
  EXPECT_THROW(evaluate_acceptance(scripted_models(), {}, {.block_size = 8}), UserError);
}

}  // namespace
}  // namespace dflash
