// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace dflash {

/// How the target chooses tokens from its logits.
struct TokenChoice {
  double temperature = 0.0;  // 0: the largest logit, the lowest id among equals
  std::uint64_t seed = 0;
};

/// Chooses a token for each of `logits` ([rows, length, vocab]). Above temperature 0 it samples by inverting the
/// cumulated distribution at a random number that depends on the seed, the prompt and the token's position alone:
/// `prompts[row]` and `positions[row] + column`. So the same token is chosen at the same logits, however decoding came
/// there. Returns [rows, length] int64 on the CPU.
at::Tensor choose_tokens(const at::Tensor& logits, const TokenChoice& choice, const std::vector<std::int64_t>& prompts,
                         const std::vector<std::int64_t>& positions);

}  // namespace dflash
