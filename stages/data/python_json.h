// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/core/json.h"

namespace dflash {

/// Returns a value as Python's `json.dumps(value, ensure_ascii=False)` writes it, which chat templates do. Throws
/// UserError on numbers that the two write differently: from 1e15 on, with a fraction or beyond 64 bits.
std::string python_json(const Json& value);

}  // namespace dflash
