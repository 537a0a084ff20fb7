// SPDX-License-Identifier: Apache-2.0
#include "stages/data/pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

using testing::ElementsAre;

std::vector<std::string_view> pieces_of(std::string_view text, std::vector<SplitStep> steps) {
  const PreTokenizer pre_tokenizer{std::move(steps)};
  std::vector<std::string_view> pieces;
  PreTokenizer::Splitter{pre_tokenizer}.split(text, pieces);
  return pieces;
}

SplitStep step(const char* pattern, SplitBehavior behavior, bool invert = false) {
  return {.pattern = SplitPattern{pattern, "here"}, .behavior = behavior, .invert = invert};
}

std::vector<SplitStep> one(SplitStep only) {
  std::vector<SplitStep> steps;
  steps.push_back(std::move(only));
  return steps;
}

TEST(PreTokenizer, IsolatedKeepsMatchesAndWhatLiesBetween) {
  EXPECT_THAT(pieces_of("a12b3", one(step(R"(\p{N}+)", SplitBehavior::kIsolated))), ElementsAre("a", "12", "b", "3"));
}

TEST(PreTokenizer, RemovedDropsMatchesOrInvertedTheRest) {
  EXPECT_THAT(pieces_of("a1b", one(step(R"(\p{N})", SplitBehavior::kRemoved))), ElementsAre("a", "b"));
  EXPECT_THAT(pieces_of("a1b", one(step(R"(\p{N})", SplitBehavior::kRemoved, true))), ElementsAre("1"));
}

TEST(PreTokenizer, LaterStepsSeeOnePieceAtATime) {
  std::vector<SplitStep> steps = one(step(R"(\p{N}+)", SplitBehavior::kIsolated));
  steps.push_back(step(R"(\s+(?!\S))", SplitBehavior::kIsolated));
  EXPECT_THAT(pieces_of("a  1", std::move(steps)), ElementsAre("a", "  ", "1"));
}

TEST(PreTokenizer, EmptyMatchesCutButGiveNoPieces) {
  EXPECT_THAT(pieces_of("é1b", one(step(R"((?=b))", SplitBehavior::kIsolated))), ElementsAre("é1", "b"));
}

TEST(PreTokenizer, WithoutStepsTheTextIsOnePiece) { EXPECT_THAT(pieces_of("a b", {}), ElementsAre("a b")); }

}  // namespace
}  // namespace dflash
