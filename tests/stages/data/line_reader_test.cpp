// SPDX-License-Identifier: Apache-2.0
#include "stages/data/line_reader.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include <gmock/gmock.h>

#include "tests/stages/data/source_checks.h"

namespace dflash {
namespace {

using testing::ElementsAre;

std::vector<std::string> rest_of(LineReader& reader) {
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(LineReader, LeavesOutBlankLinesAndLineEnds) {
  LineReader reader{data_file("lines.txt", "one\r\n\n \t\ntwo \n\nlast without an end")};
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_EQ(reader.place(), (LineReader::Place{.offset = 5, .line = 1}));
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_EQ(reader.place().line, 4);
  EXPECT_THAT(rest_of(reader), ElementsAre("last without an end"));
  EXPECT_EQ(reader.place().line, 6);
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, GoesOnFromAnyOfItsPlaces) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += std::string(i * 7, 'x') + std::to_string(i) + (i % 5 == 0 ? "\n\n" : "\n");  // longer than a piece in all
  }
  const std::string path = data_file("many.txt", text);
  LineReader reader{path};
  std::string line;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(reader.next(line));
    if (i % 37 == 0) {
      LineReader later{path, reader.place()};
      EXPECT_EQ(rest_of(later).size(), static_cast<std::size_t>(299 - i));
    }
  }
}

TEST(LineReader, ReadsWhatIsPackedFromAnyPlaceToo) {
  const std::string path = DFLASH_SOURCE_DIR "/configs/tiny/stories_heldout.txt.xz";
  LineReader reader{path};
  std::string line;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(reader.next(line));
  }
  LineReader later{path, reader.place()};
  EXPECT_EQ(rest_of(later), rest_of(reader));
}

TEST(LineReader, OfAnEmptyFileHasNoLine) {
  LineReader reader{data_file("empty.txt", "")};
  std::string line;
  EXPECT_FALSE(reader.next(line));
}

}  // namespace
}  // namespace dflash
