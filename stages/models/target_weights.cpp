// SPDX-License-Identifier: Apache-2.0
#include "stages/models/target_weights.h"

#include <ATen/ATen.h>

#include "stages/models/target_shapes.h"

namespace dflash {
namespace {

template <typename Layer, typename Visit>
void visit_layer(Layer& layer, std::size_t index, const Visit& visit) {
  const std::string prefix = "model.layers." + std::to_string(index) + ".";
  const auto visit_if_there = [&](const char* name, auto& parameter) {
    if (parameter.defined()) {
      visit(prefix + name, parameter);
    }
  };
  visit_if_there("input_layernorm.weight", layer.input_norm);
  visit_if_there("self_attn.q_proj.weight", layer.q_proj);
  visit_if_there("self_attn.k_proj.weight", layer.k_proj);
  visit_if_there("self_attn.v_proj.weight", layer.v_proj);
  visit_if_there("self_attn.o_proj.weight", layer.o_proj);
  visit_if_there("self_attn.q_proj.bias", layer.q_bias);
  visit_if_there("self_attn.k_proj.bias", layer.k_bias);
  visit_if_there("self_attn.v_proj.bias", layer.v_bias);
  visit_if_there("self_attn.o_proj.bias", layer.o_bias);
  visit_if_there("self_attn.q_norm.weight", layer.q_norm);
  visit_if_there("self_attn.k_norm.weight", layer.k_norm);
  visit_if_there("post_attention_layernorm.weight", layer.post_attention_norm);
  visit_if_there("mlp.gate_proj.weight", layer.gate_proj);
  visit_if_there("mlp.up_proj.weight", layer.up_proj);
  visit_if_there("mlp.down_proj.weight", layer.down_proj);
}

template <typename Weights, typename Visit>
void visit_all(Weights& weights, const Visit& visit) {
  visit("model.embed_tokens.weight", weights.embedding);
  for (std::size_t index = 0; index < weights.layers.size(); ++index) {
    visit_layer(weights.layers[index], index, visit);
  }
  visit("model.norm.weight", weights.norm);
  if (weights.head.defined()) {
    visit("lm_head.weight", weights.head);
  }
}

}  // namespace

void for_each_parameter(TargetWeights& weights, const std::function<void(const std::string&, at::Tensor&)>& visit) {
  visit_all(weights, visit);
}

void for_each_parameter(const TargetWeights& weights,
                        const std::function<void(const std::string&, const at::Tensor&)>& visit) {
  visit_all(weights, visit);
}

TargetWeights empty_target(const TargetConfig& config) {
  const auto options = at::TensorOptions().dtype(at::kFloat).device(at::kMeta);
  const auto shaped = [&](at::IntArrayRef sizes) { return at::empty(sizes, options); };
  const auto shaped_if = [&](bool wanted, std::int64_t size) { return wanted ? shaped({size}) : at::Tensor(); };
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t queries = config.num_attention_heads * config.head_dim;
  const std::int64_t keys = config.num_key_value_heads * config.head_dim;
  TargetWeights weights{.embedding = shaped({config.vocab_size, hidden}), .layers = {}, .norm = shaped({hidden})};
  for (std::int64_t index = 0; index < config.num_hidden_layers; ++index) {
    weights.layers.push_back({.input_norm = shaped({hidden}),
                              .q_proj = shaped({queries, hidden}),
                              .k_proj = shaped({keys, hidden}),
                              .v_proj = shaped({keys, hidden}),
                              .o_proj = shaped({hidden, queries}),
                              .q_bias = shaped_if(has_qkv_bias(config), queries),
                              .k_bias = shaped_if(has_qkv_bias(config), keys),
                              .v_bias = shaped_if(has_qkv_bias(config), keys),
                              .o_bias = shaped_if(has_output_bias(config), hidden),
                              .q_norm = shaped_if(has_head_norms(config), config.head_dim),
                              .k_norm = shaped_if(has_head_norms(config), config.head_dim),
                              .post_attention_norm = shaped({hidden}),
                              .gate_proj = shaped({config.intermediate_size, hidden}),
                              .up_proj = shaped({config.intermediate_size, hidden}),
                              .down_proj = shaped({hidden, config.intermediate_size})});
  }
  if (!config.tie_word_embeddings) {
    weights.head = shaped({config.vocab_size, hidden});
  }
  return weights;
}

TargetWeights init_target(const TargetConfig& config, std::uint64_t seed, at::Device device) {
  constexpr double kDeviation = 0.02;  // transformers' initializer_range
  at::Generator generator = at::detail::createCPUGenerator(seed);
  TargetWeights weights = empty_target(config);
  for_each_parameter(weights, [&](const std::string& name, at::Tensor& parameter) {
    at::Tensor drawn = at::full(parameter.sizes(), name.ends_with(".bias") ? 0.0 : 1.0, at::kFloat);
    if (parameter.dim() == 2) {
      drawn.normal_(0.0, kDeviation, generator);
    }
    parameter = drawn.to(device);
  });
  return weights;
}

}  // namespace dflash
