// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace dflash {

/// JSON that keeps the order of keys, so that what a user wrote comes back as it was written.
using Json = nlohmann::ordered_json;

}  // namespace dflash
