// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "stages/models/block_layout.h"
#include "stages/models/drafter_config.h"
#include "stages/models/drafter_weights.h"
#include "stages/models/feature_fusion.h"

namespace dflash {

/// Ways to attend. Equal mathematics.
enum class AttentionForm { kDense, kSliced };

/// Variants of the forward pass that do not change its numbers.
struct DrafterOptions {
  FeatureFusion fc = FeatureFusion::kConcat;
  AttentionForm attention = AttentionForm::kSliced;
  std::int64_t slice_blocks = 16;        // most blocks in a slice of kSliced
  std::int64_t* copied_bytes = nullptr;  // if given, grows by the bytes that feature fusion copied
};

/// Returns T, the context of all layers: RMS(features * fc^T; hidden_norm), [length, hidden].
at::Tensor context_features(const DrafterConfig& config, const DrafterWeights& weights, const Features& features,
                            const DrafterOptions& options = {});

/// Runs the drafter over the blocks of a pack (paper section 4; A.3) and returns the normed hidden states before the
/// head, [blocks * block_size, hidden]. `embedding` is the target's, [vocabulary, hidden], frozen. The context keys and
/// values are projected from T, which no layer norms or changes.
at::Tensor drafter_forward(const DrafterConfig& config, const DrafterWeights& weights, const at::Tensor& embedding,
                           const Features& features, const BlockLayout& layout, const DrafterOptions& options = {});

}  // namespace dflash
