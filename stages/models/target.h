// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash {

/// Documents laid end to end. Rows after the last document are padding.
struct PackedTokens {
  at::Tensor ids;                             // [rows] int64
  at::Tensor positions;                       // [rows] int64, from 0 in each document
  std::vector<std::int64_t> document_starts;  // [documents + 1], the last is the first padding row
};

struct TargetOptions {
  /// Layers whose outputs are wanted, ascending: the residual stream after layer i, which is z-lab's id i (and entry i
  /// + 1 of the `hidden_states` of transformers). 0 .. layers - 2: the last layer's is only served after the final
  /// norm.
  std::vector<std::int64_t> tap_ids;
  bool to_final_norm = false;
};

struct TargetOutput {
  std::vector<at::Tensor> taps;  // one [rows, hidden] for each tap id
  at::Tensor hidden;             // [rows, hidden] after the final norm, where asked for
};

/// Runs the target over a pack; no token sees another document or a later token. Stops after the last tapped layer
/// unless the final norm is asked for. Differentiable in the weights where gradients are on. Throws UserError for tap
/// ids out of range or not ascending. Values in padding rows are finite and mean nothing.
TargetOutput target_forward(const TargetWeights& weights, const TargetConfig& config, const PackedTokens& tokens,
                            const TargetOptions& options);

/// Returns the logits [..., vocab] of states after the final norm [..., hidden].
at::Tensor target_logits(const TargetWeights& weights, const at::Tensor& hidden);

/// Throws UserError unless the ids are ascending within 0 .. layers - 2.
void check_tap_ids(const std::vector<std::int64_t>& tap_ids, const TargetConfig& config);

}  // namespace dflash
