// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash {

struct HeldoutLoss {
  double nats_per_token = 0.0;  // mean over all predicted tokens of all documents; 0 without any
  std::int64_t tokens = 0;      // predicted: all but each document's first
};

/// Measures the target's cross-entropy on documents, without gradients, in packs of at most `pack_length` tokens.
/// Throws UserError for a document longer than that. `before_pack` may throw too, to end the measurement.
HeldoutLoss heldout_loss(
    const TargetWeights& weights, const TargetConfig& config, const std::vector<std::vector<std::int64_t>>& documents,
    std::int64_t pack_length, const std::function<void()>& before_pack = [] {});

}  // namespace dflash
