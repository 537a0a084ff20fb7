// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace dflash {

/// A copy of one of the shared libraries of tests/support/plugins, as NAME.so in a folder. Returns its path.
inline std::string copied_plugin(const std::string& library, const std::filesystem::path& folder,
                                 const std::string& name) {
  const std::filesystem::path copy = folder / (name + ".so");
  std::filesystem::copy_file(std::filesystem::path{DFLASH_TEST_PLUGINS} / (library + ".so"), copy,
                             std::filesystem::copy_options::overwrite_existing);
  return copy.string();
}

}  // namespace dflash
