// SPDX-License-Identifier: Apache-2.0
#include "stages/data/utf8.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(Utf8, FindsTheFirstByteThatIsNone) {
  EXPECT_EQ(find_invalid_utf8("a\u00E9\u20AC\U0001F642"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("ab\x80"), 2U);
  EXPECT_EQ(find_invalid_utf8("\xC0\xAF"), 0U);          // overlong
  EXPECT_EQ(find_invalid_utf8("a\xED\xA0\x80"), 1U);     // surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0U);  // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("a\xE2\x82"), 1U);         // cut off
}

TEST(Utf8, ReplacesMaximalSubparts) {
  // The example of the Unicode standard, table 3-11.
  EXPECT_EQ(replace_invalid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "\uFFFD\uFFFD\uFFFD\uFFFDA");
  EXPECT_EQ(replace_invalid_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
}

}  // namespace
}  // namespace dflash
