// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace dflash {

/// A loaded library stays loaded, and the loader knows it by the number of its file: keeps that from being given to
/// another file in this process.
inline void keep_file_number(const std::filesystem::path& file) {
  static const TemporaryFolder kept;
  static int count = 0;
  std::filesystem::create_hard_link(file, kept.path() / std::to_string(++count));
}

/// A copy of one of the shared libraries of tests/support/plugins, as NAME.so in a folder. Returns its path.
inline std::string copied_plugin(const std::string& library, const std::filesystem::path& folder,
                                 const std::string& name) {
  const std::filesystem::path copy = folder / (name + ".so");
  std::filesystem::copy_file(std::filesystem::path{DFLASH_TEST_PLUGINS} / (library + ".so"), copy,
                             std::filesystem::copy_options::overwrite_existing);
  keep_file_number(copy);
  return copy.string();
}

}  // namespace dflash
