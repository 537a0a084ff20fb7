// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Tensor.h>

#include "stages/models/rope.h"
#include "stages/models/target_config.h"
#include "stages/models/target_weights.h"

namespace dflash {

/// The projections that attention works on, rotated.
struct TargetHeads {
  at::Tensor query;  // [rows, heads, head_dim]
  at::Tensor key;    // [rows, kv_heads, head_dim]
  at::Tensor value;  // [rows, kv_heads, head_dim]
};

/// Attends: which rows see which is the caller's. Returns [rows, heads * head_dim].
using TargetAttention = std::function<at::Tensor(const TargetHeads&)>;

/// Returns the residual stream after a decoder layer (pre-norm, RMS of each head before the rotation where the target
/// has it, SwiGLU) from the one before it: both [rows, hidden]. The input is left as it is.
at::Tensor target_layer(const TargetLayer& layer, const TargetConfig& config, const at::Tensor& stream,
                        const RotaryTable& rotary, const TargetAttention& attend);

}  // namespace dflash
