// SPDX-License-Identifier: Apache-2.0
#include "stages/data/nfc.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(NfcText, ComposesAcrossTheBorderOfAsciiAndOthers) {
  EXPECT_EQ(NfcText{"cafe\u0301s"}.text(), "caf\u00E9s");
  EXPECT_EQ(NfcText{"\u1112\u1161\u11AB"}.text(), "\uD55C");
  EXPECT_EQ(NfcText{""}.text(), "");
}

TEST(NfcText, CharactersNewerThanUnicodeNineStandForThemselves) {
  EXPECT_EQ(NfcText{"\u1AB5\U000119E0"}.text(), "\u1AB5\U000119E0");          // in order for Unicode 9 alone
  EXPECT_EQ(NfcText{"\U00011935\U00011930"}.text(), "\U00011935\U00011930");  // a pair that composes since Unicode 13
  EXPECT_EQ(NfcText{"e\u0301\u07FDe\u0301"}.text(), "\u00E9\u07FD\u00E9");
  EXPECT_EQ(NfcText{"\u07FD\u0301\u0323"}.text(), "\u07FD\u0323\u0301");
}

TEST(NfcText, OffsetsLeadBackToTheOriginal) {
  const NfcText text{"xe\u0301ye\u0301z"};  // x é y é z; the letters stand at 0, 1, 4, 5, 8 in the original
  EXPECT_EQ(text.original_offset(0), 0U);
  EXPECT_EQ(text.original_offset(1), 1U);
  EXPECT_EQ(text.original_offset(2), 1U);
  EXPECT_EQ(text.original_offset(3), 4U);
  EXPECT_EQ(text.original_offset(4), 5U);
  EXPECT_EQ(text.original_offset(6), 8U);
  EXPECT_EQ(text.original_offset(7), 9U);
}

TEST(NfcText, OnlyWhatChangedLosesItsOffsets) {
  const NfcText text{"\n\u00FC\u4E2De\u0301\u4E2D\u00E9"};  // one run, in which bytes 6 to 9 change to 6 to 8
  EXPECT_EQ(text.text(), "\n\u00FC\u4E2D\u00E9\u4E2D\u00E9");
  for (std::size_t offset = 0; offset <= 6; ++offset) {
    EXPECT_EQ(text.original_offset(offset), offset);
  }
  EXPECT_EQ(text.original_offset(7), 6U);
  for (std::size_t offset = 8; offset <= text.text().size(); ++offset) {
    EXPECT_EQ(text.original_offset(offset), offset + 1);
  }
}

}  // namespace
}  // namespace dflash
