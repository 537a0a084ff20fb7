// SPDX-License-Identifier: Apache-2.0
#include "stages/models/mapped_file.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/resident_memory.h"
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

TEST(MappedFile, GivesBackTheMemoryOfWhatItForgets) {
  constexpr std::int64_t kSize = 16 << 20;
  const TemporaryFolder folder;
  write_durably(folder.path() / "f", std::string(kSize, 'a'));
  const MappedFile file(folder.path() / "f");
  const auto letters = [&] { return std::ranges::count(file.bytes(), std::byte{'a'}); };
  ASSERT_EQ(letters(), kSize);
  const std::int64_t read = resident_pages();
  file.forget(file.bytes().subspan(100, kSize - 100));
  EXPECT_LT(resident_pages(), read - 3000);
  EXPECT_EQ(letters(), kSize);
}

TEST(MappedFile, SaysWhatCannotBeOpened) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { MappedFile{folder.path() / "none"}; },
              ThrowsMessage<UserError>(AllOf(HasSubstr("none"), HasSubstr("No such file"))));
  EXPECT_THAT([&] { MappedFile{folder.path()}; }, ThrowsMessage<UserError>(HasSubstr("not a file")));
}

}  // namespace
}  // namespace dflash
