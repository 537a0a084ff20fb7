// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/recording_writer.h"

#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

TEST(RecordingWriter, BeginsWithALineThatSaysWhatFollows) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "recordings" / "a.out.items";
  RecordingWriter writer{file, {.port = "a.out", .type = "number"}};
  EXPECT_EQ(read_text(file), "{\"schema\":\"dflash-recording/1\",\"port\":\"a.out\",\"type\":\"number\"}\n");
  writer.add(0, 1, "abc");
  EXPECT_THAT(read_text(file), AllOf(StartsWith("{"), HasSubstr("ITEM"), HasSubstr("abc")));
  EXPECT_EQ(writer.items(), 1);
  EXPECT_EQ(writer.bytes(), 3);
}

TEST(RecordingWriter, SaysWhereTheDiskRefuses) {
  const TemporaryFolder folder;
  write_durably(folder.path() / "taken", "a file");
  EXPECT_THAT([&] { RecordingWriter(folder.path() / "taken" / "a.items", {}); },
              ThrowsMessage<UserError>(HasSubstr("taken")));
  std::filesystem::create_symlink("/dev/full", folder.path() / "full");
  EXPECT_THAT([&] { RecordingWriter(folder.path() / "full", {}); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("full"), HasSubstr("No space left"))));
}

}  // namespace
}  // namespace dflash
