// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stages/evaluate/speculative_decode.h"

namespace dflash {

/// What a round costs one user, beside a token of plain decoding: whether a drafter pays.
struct RoundCost {
  double draft_ms = 0.0;   // a round
  double verify_ms = 0.0;  // a round
  double plain_ms = 0.0;   // a token, by the target alone
  double context = 0.0;    // tokens, prompt included, that a round stands behind on average
  /// At batch 1, by the greedy acceptance length of all prompts: plain milliseconds over those of a token here.
  double speedup = 0.0;
};

/// Computes it from the same prompts, decoded one at a time by the target alone and with the drafter; `tau` is the
/// acceptance length of all prompts.
RoundCost round_cost(const DecodedBatch& plain, const DecodedBatch& drafted,
                     const std::vector<std::vector<std::int64_t>>& prompts, double tau);

}  // namespace dflash
