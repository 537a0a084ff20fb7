// SPDX-License-Identifier: Apache-2.0
#include "stages/data/text_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::ElementsAre;

TextRows rows_in(const std::string& content, RowUnit unit) {
  const std::filesystem::path path = std::filesystem::path{testing::TempDir()} / "rows.txt";
  std::ofstream{path, std::ios::binary} << content;
  return {path, unit};
}

std::vector<std::string> all(TextRows rows) {
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    const std::string place = rows.place(i);
    texts.push_back(place.substr(place.rfind(':') + 1) + ":" + rows.row(i));
  }
  return texts;
}

TEST(TextRows, LinesWithoutBlankOnes) {
  EXPECT_THAT(all(rows_in("\na\r\n \t\n\nb c \nlast", RowUnit::kLine)), ElementsAre("2:a", "5:b c", "6:last"));
}

TEST(TextRows, ParagraphsAreSeparatedByBlankLines) {
  EXPECT_THAT(all(rows_in("\n\na\nb\n\n \nc\r\n\r\nd\n\n", RowUnit::kParagraph)), ElementsAre("3:a\nb", "7:c", "9:d"));
}

TEST(TextRows, NothingInAnEmptyFile) {
  EXPECT_EQ(rows_in("", RowUnit::kLine).size(), 0);
  EXPECT_EQ(rows_in(" \n\n", RowUnit::kParagraph).size(), 0);
}

TEST(TextRows, StopsAfterTheMostRowsAskedFor) {
  const std::filesystem::path path = std::filesystem::path{testing::TempDir()} / "three.txt";
  std::ofstream{path} << "a\nb\nc";
  EXPECT_EQ((TextRows{path, RowUnit::kLine, 2}.size()), 2);
  EXPECT_FALSE((TextRows{path, RowUnit::kLine, 2}.complete()));
  EXPECT_EQ((TextRows{path, RowUnit::kLine, 3}.size()), 3);
  EXPECT_TRUE((TextRows{path, RowUnit::kLine, 3}.complete()));
  TextRows packed{DFLASH_SOURCE_DIR "/configs/tiny/stories_heldout.txt.xz", RowUnit::kParagraph, 7};
  EXPECT_EQ(packed.size(), 7);
  EXPECT_FALSE(packed.row(6).empty());
}

TEST(TextRows, ReadsRowsThatCrossTheChunksOfAFile) {
  const std::string big(300'000, 'x');
  EXPECT_THAT(all(rows_in("a\n" + big + "\n" + big, RowUnit::kLine)), ElementsAre("1:a", "2:" + big, "3:" + big));
}

TEST(TextRows, ReadsWhatXzPacked) {
  TextRows rows{DFLASH_SOURCE_DIR "/configs/tiny/stories_heldout.txt.xz", RowUnit::kParagraph};
  EXPECT_EQ(rows.size(), 500);
  EXPECT_THAT(rows.row(0), testing::Not(testing::HasSubstr("\n\n")));
}

}  // namespace
}  // namespace dflash
