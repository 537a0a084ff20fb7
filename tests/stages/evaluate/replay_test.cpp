// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/replay.h"

#include <gmock/gmock.h>

#include "stages/evaluate/speculative_decode.h"
#include "tests/stages/evaluate/scripted_models.h"

namespace dflash {
namespace {

using test::ScriptedDrafter;
using test::ScriptedTarget;
using ::testing::ElementsAre;

const std::vector<std::vector<std::int64_t>> kPrompts{{1, 2, 3}, {4}, {5, 6, 7, 8, 9, 10}};

bool at_random(std::int64_t position) { return counter_uniform(1, {static_cast<std::uint64_t>(position)}) < 0.2; }

StoredAnswer stored(std::vector<std::int64_t> prompt, const std::vector<std::int64_t>& answer) {
  StoredAnswer document{.tokens = std::move(prompt)};
  document.prompt_length = static_cast<std::int64_t>(document.tokens.size());
  document.tokens.insert(document.tokens.end(), answer.begin(), answer.end());
  return document;
}

std::vector<std::vector<DecodeRound>> walk(const std::vector<StoredAnswer>& documents,
                                           const std::function<bool(std::int64_t)>& errs) {
  ScriptedTarget target;
  ScriptedDrafter drafter(errs);
  return replay(target, drafter, documents, 8);
}

std::vector<std::vector<std::int64_t>> lengths(const std::vector<std::vector<DecodeRound>>& rounds) {
  std::vector<std::vector<std::int64_t>> all;
  std::transform(rounds.begin(), rounds.end(), std::back_inserter(all), accepted_lengths);
  return all;
}

TEST(Replay, HasTheRoundsOfTrueDecodingOnTheTargetsOwnAnswers) {
  ScriptedTarget target;
  ScriptedDrafter drafter(at_random);
  const DecodedBatch decoded = speculative_decode(target, drafter, kPrompts, {.new_tokens = 40, .block_size = 8});
  std::vector<StoredAnswer> documents;
  std::vector<std::vector<DecodeRound>> expected;
  for (std::size_t i = 0; i < kPrompts.size(); ++i) {
    documents.push_back(stored(kPrompts[i], decoded.answers[i].tokens));
    expected.push_back(decoded.answers[i].rounds);
  }
  EXPECT_EQ(lengths(walk(documents, at_random)), lengths(expected));
}

TEST(Replay, AsksBeforeEachRoundWhetherToGoOn) {
  ScriptedTarget target;
  ScriptedDrafter drafter(at_random);
  const DecodedBatch plain = plain_decode(target, kPrompts, {.new_tokens = 20});
  EXPECT_THROW(replay(target, drafter, {stored(kPrompts[0], plain.answers[0].tokens)}, 8,
                      [](std::int64_t) { throw Interrupted("enough"); }),
               Interrupted);
}

TEST(Replay, WalksAnswersOfUnequalLengthToTheirEnds) {
  ScriptedTarget target;
  const DecodedBatch plain = plain_decode(target, kPrompts, {.new_tokens = 20});
  std::vector<std::int64_t> shorter = plain.answers[0].tokens;
  shorter.resize(10);
  const auto rounds = walk({stored(kPrompts[0], shorter), stored(kPrompts[1], plain.answers[1].tokens)},
                           [](std::int64_t) { return false; });
  EXPECT_THAT(lengths(rounds), ElementsAre(ElementsAre(8, 1), ElementsAre(8, 8, 3)));
}

TEST(Replay, StopsAtStoredTokensThatTheDrafterDoesNotPropose) {
  ScriptedTarget target;
  std::vector<std::int64_t> answer = plain_decode(target, {kPrompts[0]}, {.new_tokens = 9}).answers[0].tokens;
  answer[4] = (answer[4] + 1) % test::kScriptVocab;
  const auto rounds = walk({stored(kPrompts[0], answer)}, [](std::int64_t) { return false; });
  EXPECT_EQ(rounds[0][0].emitted, 4);
  EXPECT_EQ(rounds[0][0].drafted, 3);
}

TEST(Replay, HasNoRoundInAnAnswerOfOneToken) {
  EXPECT_THAT(walk({stored({1, 2}, {3})}, at_random), ElementsAre(::testing::IsEmpty()));
}

}  // namespace
}  // namespace dflash
