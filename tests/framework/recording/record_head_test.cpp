// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/record_head.h"

#include <algorithm>

#include <gmock/gmock.h>

namespace dflash {
namespace {

std::array<char, kHeadBytes> text_of(const RecordHead& head, std::string_view bytes) {
  const std::string text = head_text(head, bytes);
  EXPECT_EQ(text.size(), kHeadBytes);
  std::array<char, kHeadBytes> array{};
  std::copy_n(text.begin(), kHeadBytes, array.begin());
  return array;
}

constexpr RecordHead kHead{.kind = RecordKind::kItem, .seq = 3, .firing = 5, .length = 4};

TEST(RecordHead, ComesBackAsItWasWritten) {
  const ReadHead read = read_head(text_of(kHead, "abcd"));
  EXPECT_TRUE(read.known);
  EXPECT_EQ(read.head.kind, RecordKind::kItem);
  EXPECT_EQ(read.head.seq, 3);
  EXPECT_EQ(read.head.firing, 5);
  EXPECT_EQ(read.head.length, 4);
  EXPECT_TRUE(is_sound(read.head, "abcd"));
}

TEST(RecordHead, IsNotSoundWithOtherBytesNorWithAnotherNumber) {
  RecordHead head = read_head(text_of(kHead, "abcd")).head;
  EXPECT_FALSE(is_sound(head, "abce"));
  head.seq = 4;
  EXPECT_FALSE(is_sound(head, "abcd"));
}

TEST(RecordHead, OfNoKindIsUnknown) {
  std::array<char, kHeadBytes> text = text_of(kHead, "abcd");
  text[0] = 'X';
  EXPECT_FALSE(read_head(text).known);
  EXPECT_FALSE(read_head({}).known);
  EXPECT_FALSE(read_head(text_of({.kind = RecordKind::kItem, .length = -1}, "")).known);
  EXPECT_FALSE(read_head(text_of({.kind = RecordKind::kEnd, .length = 1}, "a")).known);
}

}  // namespace
}  // namespace dflash
