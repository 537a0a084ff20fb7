// SPDX-License-Identifier: Apache-2.0
#include "framework/checkpoint/durable_file.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(DurableFile, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string text = std::string(3'000'000, 'x') + '\0' + "end";
  write_durably(folder.path() / "file", text);
  EXPECT_EQ(read_text(folder.path() / "file"), text);
}

TEST(DurableFile, ReplacesTheWholeFileAndLeavesNothingBeside) {
  const TemporaryFolder folder;
  write_durably(folder.path() / "file", "a long first text");
  replace_durably(folder.path() / "file", "short");
  EXPECT_EQ(read_text(folder.path() / "file"), "short");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "file.tmp"));
}

TEST(DurableFile, SaysThatTheDiskIsFull) {
  EXPECT_THAT([] { write_durably("/dev/full", "text"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("/dev/full"), HasSubstr("No space left on device"))));
}

TEST(DurableFile, SaysWhichFileIsMissing) {
  EXPECT_THAT([] { (void)read_text("no/such/file"); }, ThrowsMessage<UserError>(HasSubstr("'no/such/file'")));
}

TEST(DurableFile, HashesAFileAsItsText) {
  const TemporaryFolder folder;
  const std::string text(2'500'000, 'y');
  write_durably(folder.path() / "file", text);
  EXPECT_EQ(hash_file(folder.path() / "file"), hash_text(text));
  EXPECT_NE(hash_text(text), hash_text(text + "y"));
}

TEST(DurableFile, HashesTheEmptyTextAsXxh3Does) { EXPECT_EQ(hash_text(""), "2d06800538d394c2"); }

}  // namespace
}  // namespace dflash
