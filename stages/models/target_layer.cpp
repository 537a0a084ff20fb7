// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_layer.h"

#include <ATen/ATen.h>

#include "stages/models/rms_norm.h"

namespace dflash {
namespace {

/// A bias and the weight of a norm may be undefined: then there is none.
at::Tensor project(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& bias, std::int64_t head_dim) {
  return at::linear(x, matrix, bias).view({x.size(0), -1, head_dim});
}

at::Tensor norm_heads(const at::Tensor& heads, const at::Tensor& weight, double eps) {
  return weight.defined() ? rms_norm(heads, weight, eps) : heads;
}

TargetHeads project_heads(const TargetLayer& layer, const TargetConfig& config, const at::Tensor& x,
                          const RotaryTable& rotary) {
  const at::Tensor query = project(x, layer.q_proj, layer.q_bias, config.head_dim);
  const at::Tensor key = project(x, layer.k_proj, layer.k_bias, config.head_dim);
  return {.query = apply_rotary(norm_heads(query, layer.q_norm, config.rms_norm_eps), rotary),
          .key = apply_rotary(norm_heads(key, layer.k_norm, config.rms_norm_eps), rotary),
          .value = project(x, layer.v_proj, layer.v_bias, config.head_dim)};
}

}  // namespace

at::Tensor target_layer(const TargetLayer& layer, const TargetConfig& config, const at::Tensor& stream,
                        const RotaryTable& rotary, const TargetAttention& attend) {
  const at::Tensor x = rms_norm(stream, layer.input_norm, config.rms_norm_eps);
  const at::Tensor attended = attend(project_heads(layer, config, x, rotary));
  const at::Tensor shifted = layer.o_bias.defined() ? stream + layer.o_bias : stream;
  const at::Tensor middle = at::addmm(shifted, attended, layer.o_proj.t());
  const at::Tensor y = rms_norm(middle, layer.post_attention_norm, config.rms_norm_eps);
  const at::Tensor gated = at::silu(at::linear(y, layer.gate_proj)) * at::linear(y, layer.up_proj);
  return at::addmm(middle, gated, layer.down_proj.t());
}

}  // namespace dflash
