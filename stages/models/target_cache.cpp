// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_cache.h"

#include <ATen/ATen.h>

#include "framework/core/error.h"

namespace dflash {

TargetCache make_target_cache(const TargetConfig& config, std::int64_t batch, std::int64_t max_length,
                              at::TensorOptions options) {
  TargetCache cache;
  // Zeros, not empty: attention multiplies what it masks by 0, and 0 times a stray NaN is NaN.
  const std::vector<std::int64_t> sizes{batch, config.num_key_value_heads, max_length, config.head_dim};
  for (std::int64_t layer = 0; layer < config.num_hidden_layers; ++layer) {
    cache.keys.push_back(at::zeros(sizes, options));
    cache.values.push_back(at::zeros(sizes, options));
  }
  cache.lengths.assign(static_cast<std::size_t>(batch), 0);
  return cache;
}

void crop(TargetCache& cache, const std::vector<std::int64_t>& lengths) {
  DFLASH_CHECK(lengths.size() == cache.lengths.size(), "{} lengths for {} rows", lengths.size(), cache.lengths.size());
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    DFLASH_CHECK(lengths[row] >= 0 && lengths[row] <= cache.lengths[row], "row {} of length {} cropped to {}", row,
                 cache.lengths[row], lengths[row]);
  }
  cache.lengths = lengths;
}

void keep(TargetCache& cache, const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> lengths;
  for (const std::int64_t row : rows) {
    DFLASH_CHECK(row >= 0 && row < cache.batch(), "row {} of {}", row, cache.batch());
    lengths.push_back(cache.lengths[static_cast<std::size_t>(row)]);
  }
  const at::Tensor index = at::tensor(rows, at::kLong).to(cache.keys.front().device(), /*non_blocking=*/true);
  for (std::size_t layer = 0; layer < cache.keys.size(); ++layer) {
    cache.keys[layer] = cache.keys[layer].index_select(0, index);
    cache.values[layer] = cache.values[layer].index_select(0, index);
  }
  cache.lengths = std::move(lengths);
}

}  // namespace dflash
