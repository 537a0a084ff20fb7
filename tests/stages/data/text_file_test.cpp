// SPDX-License-Identifier: Apache-2.0
#include "stages/data/text_file.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::filesystem::path kPacked = DFLASH_SOURCE_DIR "/configs/tiny/stories_heldout.txt.xz";

std::filesystem::path written(const std::string& name, const std::string& content) {
  const std::filesystem::path path = std::filesystem::path{testing::TempDir()} / name;
  std::ofstream{path, std::ios::binary} << content;
  return path;
}

std::string raw_bytes(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST(TextFile, ReadsPlainTextAsItStands) {
  EXPECT_EQ(read_text_file(written("plain.txt", "a\r\nb\0c")), "a\r\nb");
  EXPECT_EQ(read_text_file(written("empty.txt", "")), "");
}

TEST(TextFile, UnpacksXzWhateverItsName) {
  const std::string text = read_text_file(written("packed.txt", raw_bytes(kPacked)));
  EXPECT_EQ(text.size(), 367'714U);
  EXPECT_TRUE(is_xz_file(kPacked));
}

TEST(TextFile, UnpacksStreamsOneAfterAnother) {
  const std::string packed = raw_bytes(kPacked);
  EXPECT_EQ(read_text_file(written("twice.xz", packed + packed)).size(), 2 * 367'714U);
}

TEST(TextFile, SaysThatAPackedFileIsCutOffOrDamaged) {
  std::string packed = raw_bytes(kPacked);
  EXPECT_THAT([&] { read_text_file(written("cut.xz", packed.substr(0, 40'000))); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("cut.xz"), HasSubstr("cut off"))));
  packed[50'000] = static_cast<char>(packed[50'000] ^ 0x55);
  EXPECT_THAT([&] { read_text_file(written("damaged.xz", packed)); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("damaged.xz"), HasSubstr("damaged"))));
}

TEST(TextFile, SaysThatAFileIsMissingOrAFolder) {
  EXPECT_THAT([] { read_text_file("/no/such/file"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("/no/such/file"), HasSubstr("no such file"))));
  EXPECT_THAT([] { read_text_file(testing::TempDir()); }, ThrowsMessage<UserError>(HasSubstr("is a folder")));
}

}  // namespace
}  // namespace dflash
