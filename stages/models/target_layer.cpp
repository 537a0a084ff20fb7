// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_layer.h"

#include <ATen/ATen.h>

#include "stages/models/rms_norm.h"

namespace dflash {
namespace {

at::Tensor project(const at::Tensor& x, const at::Tensor& matrix, std::int64_t head_dim) {
  return at::linear(x, matrix).view({x.size(0), -1, head_dim});
}

TargetHeads project_heads(const TargetLayer& layer, const TargetConfig& config, const at::Tensor& x,
                          const RotaryTable& rotary) {
  const at::Tensor query = rms_norm(project(x, layer.q_proj, config.head_dim), layer.q_norm, config.rms_norm_eps);
  const at::Tensor key = rms_norm(project(x, layer.k_proj, config.head_dim), layer.k_norm, config.rms_norm_eps);
  return {.query = apply_rotary(query, rotary),
          .key = apply_rotary(key, rotary),
          .value = project(x, layer.v_proj, config.head_dim)};
}

}  // namespace

at::Tensor target_layer(const TargetLayer& layer, const TargetConfig& config, const at::Tensor& stream,
                        const RotaryTable& rotary, const TargetAttention& attend) {
  const at::Tensor x = rms_norm(stream, layer.input_norm, config.rms_norm_eps);
  const at::Tensor attended = attend(project_heads(layer, config, x, rotary));
  const at::Tensor middle = at::addmm(stream, attended, layer.o_proj.t());
  const at::Tensor y = rms_norm(middle, layer.post_attention_norm, config.rms_norm_eps);
  const at::Tensor gated = at::silu(at::linear(y, layer.gate_proj)) * at::linear(y, layer.up_proj);
  return at::addmm(middle, gated, layer.down_proj.t());
}

}  // namespace dflash
