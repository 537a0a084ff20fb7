// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stages/evaluate/acceptance.h"
#include "stages/evaluate/batch_models.h"

namespace dflash {

/// A prompt and the answer that was stored for it.
struct StoredAnswer {
  std::vector<std::int64_t> tokens;  // prompt, then answer
  std::int64_t prompt_length = 0;    // at least 1 and less than all tokens
};

/// Walks over stored answers as decoding would go, with the stored tokens in the target's place as follows: the
/// target reads each document once, and a round accepts the drafts that equal what is stored. Where the same target has
/// answered greedily, the rounds are those of `speculative_decode`, up to the rounding of prefill against decoding.
/// Returns the rounds of each document. `before_round` may throw, to end the walk.
std::vector<std::vector<DecodeRound>> replay(
    BatchTarget& target, BatchDrafter& drafter, const std::vector<StoredAnswer>& documents, std::int64_t block_size,
    const std::function<void(std::int64_t unfinished)>& before_round = [](std::int64_t) {});

}  // namespace dflash
