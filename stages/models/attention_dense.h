// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace dflash {

/// Queries, keys and values of one layer, rotated and normed. Context and block rows stand apart.
struct AttentionInput {
  at::Tensor query;          // [rows, heads, head_dim]
  at::Tensor context_key;    // [length, kv_heads, head_dim]
  at::Tensor context_value;  // [length, kv_heads, head_dim]
  at::Tensor block_key;      // [rows, kv_heads, head_dim]
  at::Tensor block_value;    // [rows, kv_heads, head_dim]
};

/// Attends with one mask over all keys, [rows, length + rows] bool (true: visible). The reference. Query head h uses
/// key head h / (heads / kv_heads); scores are scaled by 1 / sqrt(head_dim). Returns [rows, heads * head_dim].
at::Tensor attention_dense(const AttentionInput& input, const at::Tensor& mask);

}  // namespace dflash
