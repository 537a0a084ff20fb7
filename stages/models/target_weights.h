// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "stages/models/target_config.h"

namespace dflash {

/// The parameters of one decoder layer. Matrices are [out, in]. What a target has none of is undefined: biases, norms
/// of heads.
struct TargetLayer {
  at::Tensor input_norm;           // [hidden]
  at::Tensor q_proj;               // [heads * head_dim, hidden]
  at::Tensor k_proj;               // [kv_heads * head_dim, hidden]
  at::Tensor v_proj;               // [kv_heads * head_dim, hidden]
  at::Tensor o_proj;               // [hidden, heads * head_dim]
  at::Tensor q_bias;               // [heads * head_dim]
  at::Tensor k_bias;               // [kv_heads * head_dim]
  at::Tensor v_bias;               // [kv_heads * head_dim]
  at::Tensor o_bias;               // [hidden]
  at::Tensor q_norm;               // [head_dim]
  at::Tensor k_norm;               // [head_dim]
  at::Tensor post_attention_norm;  // [hidden]
  at::Tensor gate_proj;            // [intermediate, hidden]
  at::Tensor up_proj;              // [intermediate, hidden]
  at::Tensor down_proj;            // [hidden, intermediate]
};

/// All parameters of a target. With tied embeddings `head` is undefined; `output_head` serves both cases.
struct TargetWeights {
  at::Tensor embedding;  // [vocab, hidden]
  std::vector<TargetLayer> layers;
  at::Tensor norm;  // [hidden]
  at::Tensor head;  // [vocab, hidden]
};

/// The matrix that turns the last hidden state into logits: the embedding where they are tied.
inline const at::Tensor& output_head(const TargetWeights& weights) {
  return weights.head.defined() ? weights.head : weights.embedding;
}

/// Calls `visit` for each parameter that the target has, in file order, by its Hugging Face name
/// ("model.layers.0.self_attn.q_proj.weight").
void for_each_parameter(TargetWeights& weights, const std::function<void(const std::string&, at::Tensor&)>& visit);
void for_each_parameter(const TargetWeights& weights,
                        const std::function<void(const std::string&, const at::Tensor&)>& visit);

/// Returns fresh fp32 parameters: matrices N(0, 0.02), norms 1, biases 0. They depend on config and seed alone, not on
/// the device.
TargetWeights init_target(const TargetConfig& config, std::uint64_t seed, at::Device device);

/// Compares names, types and shapes of the weights of a Hugging Face folder with its config, by the headers of its
/// files. Throws UserError with all faults in one message: missing, unused and wrongly shaped tensors.
void check_target_weights(const std::filesystem::path& folder, const TargetConfig& config);

/// Reads the weights of a Hugging Face folder. Without a `dtype` it is fp32 on the CPU and the config's elsewhere.
/// Throws UserError as check_target_weights does.
TargetWeights load_target(const std::filesystem::path& folder, const TargetConfig& config,
                          std::optional<at::ScalarType> dtype, at::Device device);

/// Writes `config.json` and `model.safetensors` in `dtype` to a folder that is made if need be.
void save_target(const std::filesystem::path& folder, TargetConfig config, const TargetWeights& weights,
                 at::ScalarType dtype);

}  // namespace dflash
