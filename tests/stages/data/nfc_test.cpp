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

}  // namespace
}  // namespace dflash
