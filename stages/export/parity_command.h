// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"

namespace dflash {

/// Makes the command `parity DIR [--target PATH]`: decodes the prompts of an export's parity set anew, from the files
/// as they are now, and compares. Exit code 1 where an answer, an accepted length or a first draft differs.
Command parity_command();

}  // namespace dflash
