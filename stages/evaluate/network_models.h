// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "stages/evaluate/acceptance_evaluation.h"
#include "stages/models/drafter_config.h"
#include "stages/models/drafter_weights.h"
#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash {

/// Makes the decode loop's two sides from networks. All are borrowed and must outlive what is made; answers have at
/// most `new_tokens` tokens.
DecodeModels network_models(const TargetConfig& target_config, const TargetWeights& target,
                            const DrafterConfig& drafter_config, const DrafterWeights& drafter,
                            std::int64_t new_tokens);

}  // namespace dflash
