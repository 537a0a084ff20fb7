// SPDX-License-Identifier: Apache-2.0
// A shared library that is no plugin. Named "throws_when_loaded.so" it throws when it is loaded.
#include <filesystem>
#include <stdexcept>

#include <dlfcn.h>

int no_plugin() {
  Dl_info found{};
  dladdr(reinterpret_cast<const void*>(&no_plugin), &found);
  if (std::filesystem::path{found.dli_fname}.stem() == "throws_when_loaded") {
    throw std::runtime_error{"no loading today"};
  }
  return 0;
}

const int kLoaded = no_plugin();
