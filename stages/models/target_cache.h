// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/target_config.h"

namespace dflash {

/// Keys and values of a batch of sequences of different lengths. What lies behind a row's length is never read.
struct TargetCache {
  std::vector<at::Tensor> keys;       // per layer [batch, kv_heads, max_length, head_dim]
  std::vector<at::Tensor> values;     // per layer [batch, kv_heads, max_length, head_dim]
  std::vector<std::int64_t> lengths;  // [batch]

  [[nodiscard]] std::int64_t batch() const { return static_cast<std::int64_t>(lengths.size()); }
  [[nodiscard]] std::int64_t max_length() const { return keys.front().size(2); }
};

/// Returns an empty cache: every length 0.
TargetCache make_target_cache(const TargetConfig& config, std::int64_t batch, std::int64_t max_length,
                              at::TensorOptions options);

/// Shortens each row to a length of at most its own (speculative decoding takes back what was not accepted).
void crop(TargetCache& cache, const std::vector<std::int64_t>& lengths);

/// Drops all rows but these, which come in the order given.
void keep(TargetCache& cache, const std::vector<std::int64_t>& rows);

}  // namespace dflash
