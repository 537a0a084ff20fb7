// SPDX-License-Identifier: Apache-2.0
#include "tests/support/temporary_folder.h"

#include <string>
#include <system_error>

#include <stdlib.h>

#include "framework/core/error.h"

namespace dflash {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "dflash-test-XXXXXX").string();
  DFLASH_CHECK(::mkdtemp(name.data()) != nullptr, "cannot make '{}'", name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace dflash
