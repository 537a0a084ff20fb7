// SPDX-License-Identifier: Apache-2.0
#include "framework/checkpoint/folder_lock.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "framework/core/error.h"

namespace dflash {

FolderLock::FolderLock(const std::filesystem::path& folder, const std::string& what)
    : descriptor_{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)} {
  DFLASH_USER_CHECK(descriptor_ >= 0, "cannot open {} '{}': {}", what, folder.string(),
                    std::generic_category().message(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw UserError(
        fmt::format("{} '{}' is in use: another process writes there; allowed: to wait until it has "
                    "ended, or another folder",
                    what, folder.string()));
  }
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace dflash
