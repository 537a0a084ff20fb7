// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/drafter_config.h"

namespace dflash {

/// Parameters of one draft layer; checkpoint names are `layers.{l}.` followed by the words at the right.
struct DrafterLayerWeights {
  at::Tensor input_layernorm;           // [hidden]
  at::Tensor q_proj;                    // [heads * head_dim, hidden]        self_attn.
  at::Tensor k_proj;                    // [kv_heads * head_dim, hidden]     self_attn.
  at::Tensor v_proj;                    // [kv_heads * head_dim, hidden]     self_attn.
  at::Tensor o_proj;                    // [hidden, heads * head_dim]        self_attn.
  at::Tensor q_norm;                    // [head_dim]                        self_attn.
  at::Tensor k_norm;                    // [head_dim]                        self_attn.
  at::Tensor post_attention_layernorm;  // [hidden]
  at::Tensor gate_proj;                 // [intermediate, hidden]            mlp.
  at::Tensor up_proj;                   // [intermediate, hidden]            mlp.
  at::Tensor down_proj;                 // [hidden, intermediate]            mlp.
};

/// All trained parameters of a drafter: 11 per layer and 3 more. Embedding and head are the target's and not among
/// them.
struct DrafterWeights {
  at::Tensor fc;           // [hidden, taps * hidden]
  at::Tensor hidden_norm;  // [hidden]
  at::Tensor norm;         // [hidden]
  std::vector<DrafterLayerWeights> layers;
};

/// Calls `visit(checkpoint name, tensor)` for every parameter in the fixed order fc, hidden_norm, norm, then layer by
/// layer.
void for_each_parameter(DrafterWeights& weights, const std::function<void(const std::string&, at::Tensor&)>& visit);
void for_each_parameter(const DrafterWeights& weights,
                        const std::function<void(const std::string&, const at::Tensor&)>& visit);

/// Returns the shape that `config` gives the parameter `name`. Throws InternalError for a name that is none.
std::vector<std::int64_t> parameter_shape(const DrafterConfig& config, const std::string& name);

/// Returns weights with the right number of layers and undefined tensors.
DrafterWeights empty_drafter(const DrafterConfig& config);

/// Returns fp32 weights on the CPU: linears N(0, initializer_range), norms one. Equal seeds give equal bits everywhere.
DrafterWeights init_drafter(const DrafterConfig& config, std::uint64_t seed);

/// Returns `weights` applied to each tensor, e.g. a copy in another type or on another device.
DrafterWeights map_parameters(const DrafterWeights& weights, const std::function<at::Tensor(const at::Tensor&)>& map);

}  // namespace dflash
