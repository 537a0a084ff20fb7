// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash {

/// Returns the parameters that a config asks for, with shapes but without data (on the meta device).
TargetWeights empty_target(const TargetConfig& config);

}  // namespace dflash
