// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/marked_story.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

TEST(MarkedStory, BracketsAcceptedRunsAndLeavesTheTargetsOwnTokensBare) {
  EXPECT_EQ(
      marked_story({"Once", " upon", " a", " time", " there", " was"}, {{3, 2}, {1, 0}, {1, 1}}, MarkStyle::kBrackets),
      "  Once [upon a] time there [was]");
}

TEST(MarkedStory, ClosesARunWhereTheNextBegins) {
  EXPECT_EQ(marked_story({"a", "b", "c"}, {{1, 1}, {1, 1}}, MarkStyle::kBrackets), "  a[b][c]");
}

TEST(MarkedStory, ColoursInsteadOfBrackets) {
  EXPECT_EQ(marked_story({"a", " b", " c"}, {{2, 1}}, MarkStyle::kColours), "  a \033[32mb\033[0m c");
}

TEST(MarkedStory, BreaksLinesAtSpacesWithinTheColumns) {
  EXPECT_EQ(marked_story({"one", " two", " three", " four"}, {{3, 2}}, MarkStyle::kBrackets, 12, "> "),
            "> one [two\n> three]\n> four");
}

TEST(MarkedStory, MovesAMarkBehindTheCharacterThatATokenCuts) {
  // The accent is two bytes; the run begins with its second.
  EXPECT_EQ(marked_story({"caf\xC3", "\xA9", "s"}, {{2, 1}}, MarkStyle::kBrackets), "  caf\xC3\xA9s");
  EXPECT_EQ(marked_story({"caf\xC3", "\xA9s", "!"}, {{2, 1}}, MarkStyle::kBrackets), "  caf\xC3\xA9[s]!");
}

TEST(MarkedStory, ShowsLineBreaksAsSpaces) {
  EXPECT_EQ(marked_story({"a", "\nb"}, {{1, 0}}, MarkStyle::kBrackets), "  a b");
}

TEST(MarkedStory, RefusesRoundsThatDoNotCoverTheAnswer) {
  EXPECT_THROW(marked_story({"a", "b"}, {{2, 1}}, MarkStyle::kBrackets), InternalError);
  EXPECT_THROW(marked_story({}, {}, MarkStyle::kBrackets), InternalError);
}

}  // namespace
}  // namespace dflash
