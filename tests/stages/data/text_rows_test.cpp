// SPDX-License-Identifier: Apache-2.0
#include "stages/data/text_rows.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

/// The rows of a text by the words of RowUnit alone, ends of lines trimmed of white space.
std::vector<std::string> expected_rows(const std::string& text, RowUnit unit) {
  std::vector<std::string> rows;
  bool open = false;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
    if (!blank && open && unit == RowUnit::kParagraph) {
      rows.back() += "\n" + line;
    } else if (!blank) {
      rows.push_back(line);
    }
    open = !blank;
  }
  for (std::string& row : rows) {
    row.erase(row.find_last_not_of(" \t\r") + 1);
  }
  return rows;
}

RC_GTEST_PROP(TextRows, FindsTheRowsOfAnyText, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'b', ' ', '\t', '\r', '\n', '\n'));
  for (const RowUnit unit : {RowUnit::kLine, RowUnit::kParagraph}) {
    TextRows rows = rows_in(text, unit);
    std::vector<std::string> found;
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      found.push_back(rows.row(i));
    }
    RC_ASSERT(found == expected_rows(text, unit));
  }
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
