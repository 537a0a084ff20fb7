// SPDX-License-Identifier: Apache-2.0
#include "stages/models/drafter_layer.h"

#include <ATen/ATen.h>

#include "stages/models/rms_norm.h"
#include "stages/models/rope.h"

namespace dflash {

KeyValue project_key_value(const DrafterConfig& config, const DrafterLayerWeights& layer, const at::Tensor& rows,
                           const RotaryTable& rotary) {
  const at::Tensor key = at::linear(rows, layer.k_proj).unflatten(1, {config.kv_heads, config.head_dim});
  const at::Tensor value = at::linear(rows, layer.v_proj).unflatten(1, {config.kv_heads, config.head_dim});
  return {apply_rotary(rms_norm(key, layer.k_norm, config.rms_norm_eps), rotary), value};
}

at::Tensor project_query(const DrafterConfig& config, const DrafterLayerWeights& layer, const at::Tensor& rows,
                         const RotaryTable& rotary) {
  const at::Tensor query = at::linear(rows, layer.q_proj).unflatten(1, {config.heads, config.head_dim});
  return apply_rotary(rms_norm(query, layer.q_norm, config.rms_norm_eps), rotary);
}

at::Tensor finish_layer(const DrafterConfig& config, const DrafterLayerWeights& layer, const at::Tensor& hidden,
                        const at::Tensor& attended) {
  const at::Tensor middle = hidden + at::linear(attended, layer.o_proj);
  const at::Tensor normed = rms_norm(middle, layer.post_attention_layernorm, config.rms_norm_eps);
  const at::Tensor gated = at::silu(at::linear(normed, layer.gate_proj)) * at::linear(normed, layer.up_proj);
  return middle + at::linear(gated, layer.down_proj);
}

}  // namespace dflash
