// SPDX-License-Identifier: Apache-2.0
#include "stages/models/mapped_file.h"

#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(MappedFile, WritesToTheMappingStayOutOfTheFile) {
  const TemporaryFolder folder;
  write_durably(folder.path() / "f", "abc");
  const MappedFile file(folder.path() / "f");
  ASSERT_EQ(file.bytes().size(), 3U);
  file.bytes()[0] = std::byte{'x'};
  EXPECT_EQ(read_text(folder.path() / "f"), "abc");
}

TEST(MappedFile, MapsAnEmptyFileToNothing) {
  const TemporaryFolder folder;
  write_durably(folder.path() / "f", "");
  EXPECT_TRUE(MappedFile(folder.path() / "f").bytes().empty());
}

TEST(MappedFile, SaysWhatCannotBeOpened) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { MappedFile{folder.path() / "none"}; },
              ThrowsMessage<UserError>(AllOf(HasSubstr("none"), HasSubstr("No such file"))));
  EXPECT_THAT([&] { MappedFile{folder.path()}; }, ThrowsMessage<UserError>(HasSubstr("not a file")));
}

}  // namespace
}  // namespace dflash
