// SPDX-License-Identifier: Apache-2.0
#include "framework/checkpoint/replace_folder.h"

#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class ReplaceFolder : public ::testing::Test {
 protected:
  fs::path make(const char* name, const char* text) const {
    fs::create_directory(folder_.path() / name);
    write_durably(folder_.path() / name / "file", text);
    return folder_.path() / name;
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator{folder_.path()}, {}));
  }
  TemporaryFolder folder_;
};

TEST_F(ReplaceFolder, PutsTheNewFolderInTheOldOnesPlace) {
  const fs::path name = make("name", "old");
  replace_folder(make("new", "1"), name);
  EXPECT_EQ(read_text(name / "file"), "1");
  replace_folder_by_moves(make("new", "2"), name);
  EXPECT_EQ(read_text(name / "file"), "2");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(ReplaceFolder, GivesAFreeNameToAFolder) {
  replace_folder(make("new", "1"), folder_.path() / "name");
  EXPECT_EQ(read_text(folder_.path() / "name" / "file"), "1");
}

TEST_F(ReplaceFolder, PutsTheOldFolderBackWhereTheNewOneCannotBeMoved) {
  const fs::path name = make("name", "old");
  EXPECT_THROW(replace_folder_by_moves(folder_.path() / "missing", name), fs::filesystem_error);
  EXPECT_EQ(read_text(name / "file"), "old");
  EXPECT_EQ(entries(), 1U);
}

}  // namespace
}  // namespace dflash
