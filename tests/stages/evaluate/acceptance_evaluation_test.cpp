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

using Prompts = std::vector<std::vector<std::int64_t>>;

const Prompts kPrompts{{1, 2, 3}, {4}, {5, 6, 7, 8, 9, 10}};

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
  for (const char* absent : {"tags", "cost", "warnings", "first_differences", "lower_overlap", "sampled", "replay",
                             "plain_tokens_per_s", "batch", "equal_to_plain"}) {
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

TEST(AcceptanceEvaluation, A03MeasuresThePromptsOfEachTagApart) {
  const AcceptanceReport report = evaluate({.block_size = 8, .new_tokens = 30, .tags = {"code", "", "code"}});
  ASSERT_EQ(report.tags.size(), 2U);
  EXPECT_EQ(report.tags[0].tag, "");
  EXPECT_EQ(report.tags[1].greedy.prompts, 2);
  EXPECT_EQ(report.tags[0].greedy.rounds + report.tags[1].greedy.rounds, report.greedy.rounds);
  EXPECT_EQ(report.tags[0].greedy.tokens + report.tags[1].greedy.tokens, report.greedy.tokens);
  EXPECT_THAT(evaluate({.block_size = 8, .new_tokens = 30, .tags = {"", "", ""}}).tags, ::testing::IsEmpty());
}

TEST(AcceptanceEvaluation, E05MeasuresTheRoundsByTheContextTheyStandBehind) {
  const Prompts prompts{std::vector<std::int64_t>(60, 1), std::vector<std::int64_t>(127, 2)};
  const AcceptanceReport report = evaluate_acceptance(
      {.target = [](bool) { return std::make_unique<ScriptedTarget>(); },
       .drafter = [] { return std::make_unique<ScriptedDrafter>([](std::int64_t) { return false; }); }},
      prompts, {.block_size = 8, .new_tokens = 17});
  // Behind 61 and 69 tokens, and behind 128 and 136: 8 tokens each.
  EXPECT_EQ(to_json(report).at("contexts"), Json::parse(R"([{"behind": 0, "rounds": 1, "tau": 8.0},
    {"behind": 64, "rounds": 1, "tau": 8.0}, {"behind": 128, "rounds": 2, "tau": 8.0}])"));
}

TEST(AcceptanceEvaluation, T04TellsWhatARoundCostsBehindTheContextOfTheTimedPrompts) {
  const DecodeModels models{
      .target = [](bool) { return std::make_unique<ScriptedTarget>(); },
      .drafter = [] { return std::make_unique<ScriptedDrafter>([](std::int64_t) { return false; }); }};
  const Json cost =
      to_json(evaluate_acceptance(models, kPrompts, {.block_size = 8, .new_tokens = 30, .speed_prompts = 2}))
          .at("cost");
  EXPECT_EQ(cost.at("batch"), 1);
  for (const char* key : {"draft_ms", "verify_ms", "plain_ms", "speedup"}) {
    EXPECT_GT(cost.at(key).get<double>(), 0.0) << key;
  }
  // Prompts of 3 and 1 tokens; the rounds begin behind 1, 9, 17 and 25 tokens of the answers.
  EXPECT_DOUBLE_EQ(cost.at("context").get<double>(), 2.0 + 13.0);
}

TEST(AcceptanceEvaluation, A06ReportsTheFirstDifferenceOfAnAnswerThatIsNotPlainGreedys) {
  // A target that decides otherwise at one place where it reads a block.
  class Rounding final : public BatchTarget {
   public:
    TargetReadout prefill(const std::vector<std::vector<std::int64_t>>& prompts) override {
      return inner_.prefill(prompts);
    }
    TargetReadout extend(const at::Tensor& tokens) override {
      TargetReadout readout = inner_.extend(tokens);
      if (tokens.size(1) > 1 && tokens.size(0) == 3) {
        const std::int64_t best = readout.logits[1][0].argmax().item<std::int64_t>();
        readout.logits[1][0][(best + 1) % test::kScriptVocab] = 100.0;
      }
      return readout;
    }
    void crop(const std::vector<std::int64_t>& lengths) override { inner_.crop(lengths); }
    void keep(const std::vector<std::int64_t>& rows) override { inner_.keep(rows); }

   private:
    ScriptedTarget inner_;
  };
  DecodeModels models = scripted_models();
  models.target = [](bool) { return std::make_unique<Rounding>(); };
  const Json json = to_json(evaluate_acceptance(models, kPrompts, {.block_size = 8, .new_tokens = 30, .plain = true}));
  EXPECT_EQ(json.at("equal_to_plain"), 2);
  EXPECT_EQ(json.at("first_differences"), Json::parse(R"([{"prompt": 1, "token": 1}])"));
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

TEST(AcceptanceEvaluation, SaysBeforeEachRoundOfEachPartHowManyPromptsAreDone) {
  std::vector<std::string> parts;
  std::int64_t done = 0;
  AcceptanceOptions options{.block_size = 8, .new_tokens = 30, .speed_prompts = 2, .plain = true, .replay = true};
  options.sampled_temperature = 0.5;
  options.before_round = [&](const EvaluationRound& round) {
    if (parts.empty() || parts.back() != round.part) {
      parts.push_back(round.part);
      done = 0;
    }
    EXPECT_GE(round.done, done);
    EXPECT_LT(round.done, round.prompts);
    done = round.done;
  };
  (void)evaluate(options);
  EXPECT_EQ(parts,
            (std::vector<std::string>{"drafted", "without drafts", "one prompt at a time", "replayed", "sampled"}));
}

TEST(AcceptanceEvaluation, RefusesToMeasureNothing) {
  EXPECT_THROW(evaluate_acceptance(scripted_models(), {}, {.block_size = 8}), UserError);
}

}  // namespace
}  // namespace dflash
