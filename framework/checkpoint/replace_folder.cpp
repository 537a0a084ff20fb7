// SPDX-License-Identifier: Apache-2.0
#include "framework/checkpoint/replace_folder.h"

#include <system_error>

#include <fcntl.h>
#include <stdio.h>

namespace dflash {

namespace fs = std::filesystem;

void replace_folder(const fs::path& folder, const fs::path& name) {
  if (!fs::exists(name)) {
    fs::rename(folder, name);
  } else if (::renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, name.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(folder);
  } else {
    replace_folder_by_moves(folder, name);
  }
}

void replace_folder_by_moves(const fs::path& folder, const fs::path& name) {
  const fs::path aside = folder.string() + ".replaced";
  fs::rename(name, aside);
  try {
    fs::rename(folder, name);
  } catch (const fs::filesystem_error&) {
    std::error_code ignored;
    fs::rename(aside, name, ignored);
    throw;
  }
  fs::remove_all(aside);
}

}  // namespace dflash
