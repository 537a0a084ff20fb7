// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/sample_tokens.h"

namespace dflash {

/// Chooses the target's token for each of `logits` ([rows, length, vocab]), by `sample_tokens`: the random number
/// behind the token of `row` and `column` depends on the seed, `prompts[row]` and `positions[row] + column` alone. So
/// the same token is chosen at the same logits, however decoding came there. Returns [rows, length] int64 on the CPU.
at::Tensor choose_tokens(const at::Tensor& logits, const SamplingOptions& choice,
                         const std::vector<std::int64_t>& prompts, const std::vector<std::int64_t>& positions);

}  // namespace dflash
