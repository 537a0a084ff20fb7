// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/analysis/run_records.h"
#include "framework/cli/application.h"

namespace dflash {

/// Reads a run directory. Throws UserError where it is none, or the run has not ended.
RunRecords read_records(const std::string& directory);

/// `compare A B`: says what B is against A. Each side is a run directory, or several with commas between them.
[[nodiscard]] Command compare_command();

}  // namespace dflash
