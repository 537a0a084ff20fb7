// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "stages/models/block_layout.h"

namespace dflash {

/// Ways to compute the head and the loss. Equal mathematics.
enum class HeadForm {
  kWhole,      // all logits at once, plain autograd
  kChunked,    // whole blocks a chunk; the gradient of the hidden states is computed in the forward pass
  kRecompute,  // whole blocks a chunk; logits are computed again in the backward pass
};

/// Objectives. Slot weights are exp(-(slot - 1) / gamma), or D-PACE's.
enum class LossType {
  kCe,     // cross-entropy with the data's next tokens (paper Eq. 4)
  kDpace,  // cross-entropy with D-PACE's dynamic weights (arXiv 2605.18810)
  kKl,     // KL divergence from the target's own distribution
};

struct HeadOptions {
  HeadForm form = HeadForm::kChunked;
  LossType loss = LossType::kCe;
  double gamma = 0;                 // slots; 0: uniform weights. Unused by D-PACE
  double alpha = 0.5;               // of D-PACE
  std::int64_t chunk_blocks = 128;  // most blocks in a chunk
};

/// Frozen inputs of the head.
struct HeadInput {
  at::Tensor lm_head;         // [vocabulary, hidden], the target's
  at::Tensor teacher_hidden;  // [length, hidden] after the target's final norm; only for kKl, else undefined
};

/// Sums over the supervised rows of a pack, on the device and never read here. The loss is numerator / denominator,
/// where both are summed over packs, ranks and accumulation first.
struct LossSums {
  at::Tensor numerator;      // scalar, differentiable in the hidden states: sum of weight * element loss
  at::Tensor denominator;    // scalar: sum of weights
  at::Tensor correct;        // [block_size] rows whose likeliest token is the label, by slot
  at::Tensor total;          // [block_size] rows by slot
  at::Tensor accept_tokens;  // scalar: sum over blocks of 1 + leading correct rows, of blocks with any supervised row
  at::Tensor accept_blocks;  // scalar: such blocks
};

/// Applies the frozen head and the loss to `hidden` ([blocks * block_size, hidden], normed). Only supervised rows pass
/// the head. Logits are reduced in fp32 (fp64 stays fp64). kKl without a teacher is refused by name. Throws
/// InternalError for a layout without a supervised row.
LossSums draft_loss(const at::Tensor& hidden, const HeadInput& input, const BlockLayout& layout,
                    const HeadOptions& options);

}  // namespace dflash
