// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace dflash {

/// Keeps other processes that ask off a folder, and other parts of this one: an advisory lock, which ends with the
/// process, however that ends. A file system that has no locks keeps nobody off.
class FolderLock {
 public:
  /// `what`: "the run directory". Throws UserError where another one has it, or the folder cannot be opened.
  FolderLock(const std::filesystem::path& folder, const std::string& what);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_;
};

}  // namespace dflash
