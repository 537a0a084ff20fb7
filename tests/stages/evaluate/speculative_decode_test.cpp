// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/speculative_decode.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "tests/stages/evaluate/scripted_models.h"

namespace dflash {
namespace {

using test::ScriptedDrafter;
using test::ScriptedTarget;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Le;

const std::vector<std::vector<std::int64_t>> kPrompts{{1, 2, 3}, {4}, {5, 6, 7, 8, 9, 10}, {11, 12}};

AnswerOptions options_for(std::int64_t new_tokens, double temperature = 0.0) {
  return {.new_tokens = new_tokens, .stop_ids = {}, .block_size = 8, .choice = {.temperature = temperature, .seed = 3}};
}

DecodedBatch speculate(const std::function<bool(std::int64_t)>& errs, const AnswerOptions& options) {
  ScriptedTarget target;
  ScriptedDrafter drafter(errs);
  return speculative_decode(target, drafter, kPrompts, options);
}

std::vector<std::vector<std::int64_t>> tokens_of(const DecodedBatch& batch) {
  std::vector<std::vector<std::int64_t>> tokens;
  std::transform(batch.answers.begin(), batch.answers.end(), std::back_inserter(tokens),
                 [](const DecodedAnswer& answer) { return answer.tokens; });
  return tokens;
}

std::vector<std::vector<std::int64_t>> plain_tokens(const AnswerOptions& options) {
  ScriptedTarget target;
  return tokens_of(plain_decode(target, kPrompts, options));
}

bool never(std::int64_t) { return false; }
bool always(std::int64_t) { return true; }
bool at_random(std::int64_t position) { return counter_uniform(1, {static_cast<std::uint64_t>(position)}) < 0.2; }

TEST(SpeculativeDecode, EqualsPlainGreedyForAnyDrafter) {
  const auto plain = plain_tokens(options_for(40));
  EXPECT_THAT(plain, Each(::testing::SizeIs(40)));
  EXPECT_EQ(tokens_of(speculate(never, options_for(40))), plain);
  EXPECT_EQ(tokens_of(speculate(always, options_for(40))), plain);
  EXPECT_EQ(tokens_of(speculate(at_random, options_for(40))), plain);
}

TEST(SpeculativeDecode, EqualsPlainSamplingWithTheSameSeed) {
  const auto plain = plain_tokens(options_for(40, 0.7));
  EXPECT_NE(plain, plain_tokens(options_for(40)));
  EXPECT_EQ(tokens_of(speculate(never, options_for(40, 0.7))), plain);
  EXPECT_EQ(tokens_of(speculate(at_random, options_for(40, 0.7))), plain);
}

TEST(SpeculativeDecode, OtherSeedsSampleOtherAnswers) {
  AnswerOptions other = options_for(20, 0.7);
  other.choice.seed = 4;
  EXPECT_NE(plain_tokens(other), plain_tokens(options_for(20, 0.7)));
}

TEST(SpeculativeDecode, AcceptsWholeBlocksOfAPerfectDrafterUpToTheLimit) {
  // One token by the prefill, 39 by rounds: four of eight, then what fits.
  const DecodedBatch batch = speculate(never, options_for(40));
  EXPECT_THAT(accepted_lengths(batch.answers[0].rounds), ElementsAre(8, 8, 8, 8, 7));
  EXPECT_EQ(batch.answers[0].rounds[0].drafted, 7);
  EXPECT_EQ(batch.answers[0].rounds[4].drafted, 7);
}

TEST(SpeculativeDecode, EmitsOneTokenARoundWithAUselessDrafter) {
  const DecodedBatch batch = speculate(always, options_for(12));
  EXPECT_THAT(accepted_lengths(batch.answers[2].rounds), ::testing::AllOf(::testing::SizeIs(11), Each(1)));
}

TEST(SpeculativeDecode, ShrinksTheLastBlockToWhatFits) {
  ScriptedTarget target;
  ScriptedDrafter drafter(never);
  (void)speculative_decode(target, drafter, {{1, 2, 3}}, options_for(13));
  EXPECT_THAT(drafter.sizes_seen, ElementsAre(ElementsAre(8), ElementsAre(5)));
}

TEST(SpeculativeDecode, AsksBeforeEachRoundWhetherToGoOn) {
  AnswerOptions options = options_for(40);
  int rounds = 0;
  options.before_round = [&](std::int64_t) {
    if (++rounds == 3) {
      throw Interrupted("enough");
    }
  };
  EXPECT_THROW(speculate(never, options), Interrupted);
  rounds = 0;
  EXPECT_THROW(plain_tokens(options), Interrupted);
  EXPECT_EQ(rounds, 3);
}

TEST(SpeculativeDecode, DecodesOnlyThePrefillsTokenAtALimitOfOne) {
  const DecodedBatch batch = speculate(never, options_for(1));
  EXPECT_EQ(tokens_of(batch), plain_tokens(options_for(1)));
  EXPECT_THAT(batch.answers[0].rounds, ::testing::IsEmpty());
}

TEST(SpeculativeDecode, EndsAnAnswerWithTheFirstStopTokenInsideABlock) {
  const std::int64_t stop = plain_tokens(options_for(40))[0][5];
  AnswerOptions options = options_for(40);
  options.stop_ids = {stop};
  const DecodedBatch batch = speculate(never, options);
  EXPECT_EQ(tokens_of(batch), plain_tokens(options));
  EXPECT_EQ(batch.answers[0].tokens.back(), stop);
  EXPECT_THAT(batch.answers[0].tokens.size(), Le(6U));
  EXPECT_EQ(std::count(batch.answers[0].tokens.begin(), batch.answers[0].tokens.end(), stop), 1);
}

TEST(SpeculativeDecode, OffersTheSlotsThatACutLeaves) {
  const std::int64_t stop = plain_tokens(options_for(40))[0][5];
  AnswerOptions options = options_for(40);
  options.stop_ids = {stop};
  const std::vector<DecodeRound> stopped = speculate(never, options).answers[0].rounds;
  EXPECT_EQ(stopped.back().offered, stopped.back().emitted);
  const std::vector<DecodeRound> limited = speculate(never, options_for(13)).answers[0].rounds;
  EXPECT_EQ(limited[0].offered, 7);
  EXPECT_EQ(limited[1].offered, 4);
}

TEST(SpeculativeDecode, TellsTheDraftersTimeFromTheTargets) {
  AnswerOptions options = options_for(40);
  options.times_phases = true;
  const DecodedBatch batch = speculate(at_random, options);
  EXPECT_EQ(tokens_of(batch), plain_tokens(options));
  EXPECT_GT(batch.draft_seconds, 0.0);
  EXPECT_GT(batch.verify_seconds, 0.0);
  EXPECT_LE(batch.draft_seconds + batch.verify_seconds, batch.decode_seconds);
  EXPECT_EQ(batch.tokens(), 4 * 39);
}

/// Pearson's statistic of what was drawn against what should be, over the outcomes that should come often enough to
/// tell; all others count as one.
double chi_square(const std::vector<double>& chances, const std::vector<std::int64_t>& drawn, std::int64_t draws,
                  std::int64_t& outcomes) {
  constexpr double kOftenEnough = 5.0;
  double statistic = 0.0;
  double rare_expected = 0.0;
  double rare_drawn = 0.0;
  const auto add = [&](double expected, double found) {
    statistic += (found - expected) * (found - expected) / expected;
    ++outcomes;
  };
  outcomes = 0;
  for (std::size_t i = 0; i < chances.size(); ++i) {
    const double expected = chances[i] * static_cast<double>(draws);
    if (expected < kOftenEnough) {
      rare_expected += expected;
      rare_drawn += static_cast<double>(drawn[i]);
    } else {
      add(expected, static_cast<double>(drawn[i]));
    }
  }
  if (rare_expected > 0.0) {
    add(rare_expected, rare_drawn);
  }
  return statistic;
}

/// The chances of each token at each of the first places of an answer, by summing over all that may stand before.
std::vector<std::vector<double>> exact_chances(const std::vector<std::int64_t>& prompt, double temperature,
                                               std::size_t places) {
  std::vector<std::vector<double>> chances(places, std::vector<double>(test::kScriptVocab, 0.0));
  const std::function<void(std::vector<std::int64_t>, double)> walk = [&](std::vector<std::int64_t> history, double p) {
    const std::size_t place = history.size() - prompt.size();
    if (place == places) {
      return;
    }
    const at::Tensor next = at::softmax(test::scripted_logits(history).to(at::kDouble) / temperature, -1);
    const auto* next_chances = next.data_ptr<double>();
    history.push_back(0);
    for (std::int64_t token = 0; token < test::kScriptVocab; ++token) {
      history.back() = token;
      chances[place][static_cast<std::size_t>(token)] += p * next_chances[token];
      walk(history, p * next_chances[token]);
    }
  };
  walk(prompt, 1.0);
  return chances;
}

// Above temperature 0 the answers must be distributed as the target alone would sample them, whatever is drafted. 4,000
// draws from one prompt; the statistic exceeds its mean by 4.5 deviations once in 100,000 seeds.
TEST(SpeculativeDecode, SamplesFromTheTargetsOwnDistribution) {
  constexpr std::int64_t kDraws = 4000;
  constexpr std::size_t kPlaces = 2;
  const std::vector<std::vector<double>> chances = exact_chances({1, 2, 3}, 0.7, kPlaces);
  const std::vector<std::vector<std::int64_t>> prompts(kDraws, {1, 2, 3});
  ScriptedTarget target;
  ScriptedDrafter drafter(never);
  const DecodedBatch batch = speculative_decode(target, drafter, prompts, options_for(kPlaces, 0.7));
  std::int64_t accepted = 0;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    std::vector<std::int64_t> drawn(test::kScriptVocab, 0);
    for (const DecodedAnswer& answer : batch.answers) {
      ++drawn[static_cast<std::size_t>(answer.tokens[place])];
      accepted += place == 0 ? answer.rounds.at(0).drafted : 0;
    }
    std::int64_t outcomes = 0;
    const double statistic = chi_square(chances[place], drawn, kDraws, outcomes);
    const auto freedom = static_cast<double>(outcomes - 1);
    EXPECT_GT(outcomes, 20);
    EXPECT_LT(statistic, freedom + 4.5 * std::sqrt(2.0 * freedom)) << "place " << place;
  }
  EXPECT_GT(accepted, kDraws / 20);
  EXPECT_LT(accepted, kDraws * 9 / 10);
}

TEST(SpeculativeDecode, HasNoRoundWhereThePrefillYieldsAStopToken) {
  AnswerOptions options = options_for(40);
  options.stop_ids = {plain_tokens(options)[1][0]};
  const DecodedBatch batch = speculate(never, options);
  EXPECT_THAT(batch.answers[1].tokens, ElementsAre(options.stop_ids[0]));
  EXPECT_THAT(batch.answers[1].rounds, ::testing::IsEmpty());
}

TEST(SpeculativeDecode, DropsFinishedPromptsFromTheBatch) {
  AnswerOptions options = options_for(40);
  options.stop_ids = {plain_tokens(options)[0][2]};
  ScriptedTarget target;
  ScriptedDrafter drafter(always);
  (void)speculative_decode(target, drafter, kPrompts, options);
  EXPECT_EQ(target.rows_seen.front(), 4);
  EXPECT_THAT(target.rows_seen.back(), Le(3));
  EXPECT_TRUE(std::is_sorted(target.rows_seen.rbegin(), target.rows_seen.rend()));
}

TEST(SpeculativeDecode, GivesTheDrafterTheFeaturesStrictlyBeforeTheAnchor) {
  ScriptedTarget target;
  ScriptedDrafter drafter(at_random);
  const DecodedBatch batch = speculative_decode(target, drafter, {{1, 2, 3}}, options_for(30));
  std::vector<std::int64_t> whole{1, 2, 3};
  whole.insert(whole.end(), batch.answers[0].tokens.begin(), batch.answers[0].tokens.end());
  ASSERT_THAT(drafter.contexts[0].size(), Le(whole.size()));
  whole.resize(drafter.contexts[0].size());
  EXPECT_EQ(drafter.contexts[0], whole);
}

TEST(SpeculativeDecode, RefusesAnEmptyPrompt) {
  ScriptedTarget target;
  ScriptedDrafter drafter(never);
  EXPECT_THROW(speculative_decode(target, drafter, {{1}, {}}, options_for(4)), UserError);
}

}  // namespace
}  // namespace dflash
