// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/drafter_config.h"
#include "stages/models/drafter_weights.h"

namespace dflash {

/// A drafter in use: borrowed parts that must outlive the call.
struct DrafterModel {
  const DrafterConfig& config;
  const DrafterWeights& weights;
  const at::Tensor& embedding;  // [vocabulary, hidden], the target's
};

/// Context keys and values of a batch of prompts. Row r holds those of its tokens [0, lengths[r]), in place; what lies
/// behind is scratch. The anchor stands at lengths[r] and has no entry.
struct DraftCache {
  std::vector<at::Tensor> keys;    // per layer [rows, kv_heads, capacity, head_dim]
  std::vector<at::Tensor> values;  // per layer, the same shape
  std::vector<std::int64_t> lengths;
  std::int64_t capacity = 0;
};

/// Returns an empty cache for `rows` prompts with room for `capacity` tokens each; it grows when more are needed.
DraftCache make_draft_cache(const DrafterModel& model, std::int64_t rows, std::int64_t capacity);

/// Appends to each row the first counts[row] of its `features` ([rows, length, taps * hidden]).
void absorb_features(const DrafterModel& model, DraftCache& cache, const at::Tensor& features,
                     const std::vector<std::int64_t>& counts);

/// Drafts one block a row behind its cached context, as in training: the anchor and sizes[row] - 1 mask tokens. Returns
/// the normed hidden states before the head, [rows, largest size, hidden]; those beyond a row's own size mean nothing.
/// The cache's contents do not change: block rows are written behind the context and not kept.
at::Tensor draft_blocks(const DrafterModel& model, DraftCache& cache, const std::vector<std::int64_t>& anchors,
                        const std::vector<std::int64_t>& sizes);

/// Keeps only `rows` of the cache, in this order.
void keep_rows(DraftCache& cache, const std::vector<std::int64_t>& rows);

}  // namespace dflash
