// SPDX-License-Identifier: Apache-2.0
#include "stages/data/added_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;

TEST(AddedTokenMatcher, TakesTheLongestOfThoseThatBeginAtOnePlace) {
  const AddedTokenMatcher matcher{
      {{.id = 1, .content = "<a>"}, {.id = 2, .content = "<a>!"}, {.id = 3, .content = "<"}}};
  EXPECT_THAT(matcher.split("x<a>!<a><b"), ElementsAre(FieldsAre(0, 1, -1), FieldsAre(1, 5, 2), FieldsAre(5, 8, 1),
                                                       FieldsAre(8, 9, 3), FieldsAre(9, 10, -1)));
}

TEST(AddedTokenMatcher, SingleWordNeedsNoWordCharacterBesideIt) {
  const AddedTokenMatcher matcher{{{.id = 1, .content = "word", .single_word = true}}};
  EXPECT_THAT(matcher.split("word,wordy éword"), ElementsAre(FieldsAre(0, 4, 1), FieldsAre(4, 17, -1)));
}

TEST(AddedTokenMatcher, StripsTakeWhiteSpaceButNotWhatAnotherTokenTook) {
  const AddedTokenMatcher matcher{
      {{.id = 1, .content = "<r>", .rstrip = true}, {.id = 2, .content = "<l>", .lstrip = true}}};
  EXPECT_THAT(matcher.split("a <r>\u3000 <l>"),
              ElementsAre(FieldsAre(0, 2, -1), FieldsAre(2, 9, 1), FieldsAre(9, 12, 2)));
}

TEST(AddedTokenMatcher, WithoutTokensTheTextIsOnePart) {
  EXPECT_THAT(AddedTokenMatcher{{}}.split("ab"), ElementsAre(FieldsAre(0, 2, -1)));
  EXPECT_THAT(AddedTokenMatcher{{}}.split(""), testing::IsEmpty());
}

}  // namespace
}  // namespace dflash
