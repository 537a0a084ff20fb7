// SPDX-License-Identifier: Apache-2.0
#include "framework/checkpoint/folder_lock.h"

#include <optional>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(FolderLock, IsOnesUntilItGoes) {
  const TemporaryFolder folder;
  std::optional<FolderLock> first{std::in_place, folder.path(), "the run directory"};
  EXPECT_THAT([&] { FolderLock(folder.path(), "the run directory"); },
              ThrowsMessage<UserError>(HasSubstr("is in use: another process writes there")));
  first.reset();
  EXPECT_NO_THROW(FolderLock(folder.path(), "the run directory"));
}

TEST(FolderLock, EndsWithTheProcessThatHadIt) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock{folder.path(), "the run directory"};
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(FolderLock(folder.path(), "the run directory"));
}

TEST(FolderLock, NamesAFolderThatCannotBeOpened) {
  EXPECT_THAT([] { FolderLock("/no/such/folder", "the run directory"); },
              ThrowsMessage<UserError>("cannot open the run directory '/no/such/folder': No such file or directory"));
}

}  // namespace
}  // namespace dflash
