// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include "stages/models/drafter_config.h"
#include "stages/models/drafter_weights.h"
#include "stages/models/rope.h"

namespace dflash {

/// Type of the rotary table for a model computed in `type`: never narrower than fp32.
inline at::ScalarType rotary_type(at::ScalarType type) { return type == at::kDouble ? at::kDouble : at::kFloat; }

/// Keys and values of some rows in one layer, normed per head and rotated.
struct KeyValue {
  at::Tensor key;    // [rows, kv_heads, head_dim]
  at::Tensor value;  // [rows, kv_heads, head_dim]
};

/// Projects `rows` ([rows, hidden]: T for the context, normed block rows for the block) to keys and values. `rotary` is
/// the rotary table of the rows' positions.
KeyValue project_key_value(const DrafterConfig& config, const DrafterLayerWeights& layer, const at::Tensor& rows,
                           const RotaryTable& rotary);

/// Projects normed block rows to queries, normed per head and rotated: [rows, heads, head_dim].
at::Tensor project_query(const DrafterConfig& config, const DrafterLayerWeights& layer, const at::Tensor& rows,
                         const RotaryTable& rotary);

/// Adds the attention's output projection and the MLP to `hidden` ([rows, hidden]); `attended` is [rows, heads *
/// head_dim].
at::Tensor finish_layer(const DrafterConfig& config, const DrafterLayerWeights& layer, const at::Tensor& hidden,
                        const at::Tensor& attended);

}  // namespace dflash
