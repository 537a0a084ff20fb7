// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/target_cache.h"
#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash {

struct DecodeOptions {
  std::vector<std::int64_t> tap_ids;  // as in TargetOptions
  bool last_logits_only = false;      // logits of each row's last token alone
};

struct DecodeOutput {
  at::Tensor logits;             // [batch, tokens, vocab], or [batch, 1, vocab]
  std::vector<at::Tensor> taps;  // one [batch, tokens, hidden] for each tap id
};

/// Appends tokens behind what each row has cached and runs the target on them, without gradients. `ids` is [batch,
/// tokens] int64 on the weights' device; of row r the first `counts[r]` (1 .. tokens) are its own and lengthen it, the
/// rest is padding whose outputs mean nothing. The cache must have room for all `tokens` behind every row. Does not
/// wait for the device.
DecodeOutput target_decode(const TargetWeights& weights, const TargetConfig& config, TargetCache& cache,
                           const at::Tensor& ids, const std::vector<std::int64_t>& counts,
                           const DecodeOptions& options);

/// Prompts padded at their ends with 0, for `target_decode` on an empty cache.
struct RaggedTokens {
  at::Tensor ids;                    // [batch, longest] int64
  std::vector<std::int64_t> counts;  // [batch]
};
RaggedTokens pad_prompts(const std::vector<std::vector<std::int64_t>>& prompts, at::Device device);

}  // namespace dflash
