// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace dflash {

struct SamplingOptions {
  double temperature = 0.0;  // 0: the likeliest token, the lowest id among equals
  std::uint64_t seed = 0;
};

/// Where the next token of a sequence stands. Its random number depends on the seed and these alone, so that the batch
/// around it does not matter.
struct TokenPlace {
  std::int64_t row_id;
  std::int64_t position;
};

/// Chooses one token per row of `logits` ([batch, vocab]): returns [batch] int64 on the same device. Does not wait for
/// it.
at::Tensor sample_tokens(const at::Tensor& logits, const std::vector<TokenPlace>& places,
                         const SamplingOptions& options);

}  // namespace dflash
