// SPDX-License-Identifier: Apache-2.0
#include "stages/data/split_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class SplitPatternRefuses : public testing::TestWithParam<const char*> {};

TEST_P(SplitPatternRefuses, WhatRubySyntaxReadsDifferently) {
  EXPECT_THAT([] { SplitPattern(GetParam(), "here"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("here: pattern"), HasSubstr(GetParam()), HasSubstr("byte "))));
}

INSTANTIATE_TEST_SUITE_P(All, SplitPatternRefuses,
                         testing::Values(R"(\w+)", R"(a\b)", R"(\h)", R"(\v)", R"(a$)", R"(^a)", R"([a[bc]])",
                                         R"([a&&b])", R"((?m:a))", R"((?<name>a))", R"(a{1,3}+)", R"(a{,3})", R"([]a])",
                                         R"(\K)"));

TEST(SplitPattern, SaysWhereAPatternIsBroken) {
  EXPECT_THAT([] { SplitPattern("a(b", "here"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("here: pattern 'a(b'"), HasSubstr("offset 3"))));
}

TEST(SplitPattern, WhiteSpaceIsUnicodes) {
  const SplitPattern pattern{R"([^\s]+)", "here"};
  const std::string text = "\u0085\u00A0\u3000a\u180E\u200Bb";  // the last two are no white space
  const auto match = SplitPattern::Matcher{pattern}.find(text, 0);
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(text.substr(match->begin, match->end - match->begin), "a\u180E\u200Bb");
}

TEST(SplitPattern, FindsALongRunWithoutExhaustingItsStack) {
  const SplitPattern pattern{R"(\s*[\r\n]+|\s+(?!\S)|[^\r\n\p{L}\p{N}]?\p{L}+)", "here"};
  const std::string text(4'000'000, 'a');
  const auto match = SplitPattern::Matcher{pattern}.find(text, 0);
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->end, text.size());
}

TEST(SplitPattern, QuotedLiteralMatchesItselfAlone) { EXPECT_EQ(quote_pattern("a.b[é"), "a\\.b\\[é"); }

}  // namespace
}  // namespace dflash
