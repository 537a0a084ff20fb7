// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/elf_file.h"

#include <fstream>

#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;

TEST(ElfFile, IsWholeOrSaysThatItEndsTooSoon) {
  const std::string whole = read_text("/proc/self/exe");
  const TemporaryFolder folder;
  const auto missing = [&](std::string_view text) {
    write_durably(folder.path() / "library.so", text);
    return missing_part(folder.path() / "library.so");
  };
  EXPECT_EQ(missing_part("/proc/self/exe"), "");
  EXPECT_THAT(missing(std::string_view{whole}.substr(0, 3000)),
              HasSubstr("the file of 3000 bytes ends within a segment; was it copied whole?"));
  EXPECT_THAT(missing(std::string_view{whole}.substr(0, 100)), HasSubstr("ends within its table of segments"));
  EXPECT_EQ(missing(std::string_view{whole}.substr(0, 20)), "") << "the loader says what it is not";
  EXPECT_EQ(missing("plain text, and more of it than a header of such a file would take, so that it is read"), "");
}

}  // namespace
}  // namespace dflash
