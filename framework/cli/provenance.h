// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/core/json.h"

namespace dflash {

/// {"cpu": "model name", "cores": 2}: the model as the kernel names it ("unknown" where it does not), the cores that
/// this process may use.
Json hardware_json();

}  // namespace dflash
