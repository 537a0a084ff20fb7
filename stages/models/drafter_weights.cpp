// SPDX-License-Identifier: Apache-2.0
#include "stages/models/drafter_weights.h"

#include <cmath>
#include <numbers>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "framework/core/counter_random.h"
#include "framework/core/error.h"

namespace dflash {
namespace {

struct LayerParameter {
  const char* name;
  at::Tensor DrafterLayerWeights::* tensor;
  std::vector<std::int64_t> (*shape)(const DrafterConfig&);
};

using Shape = std::vector<std::int64_t>;

const LayerParameter kLayerParameters[] = {
    {"input_layernorm.weight", &DrafterLayerWeights::input_layernorm,
     [](const DrafterConfig& c) { return Shape{c.hidden}; }},
    {"self_attn.q_proj.weight", &DrafterLayerWeights::q_proj,
     [](const DrafterConfig& c) { return Shape{c.query_size(), c.hidden}; }},
    {"self_attn.k_proj.weight", &DrafterLayerWeights::k_proj,
     [](const DrafterConfig& c) { return Shape{c.kv_size(), c.hidden}; }},
    {"self_attn.v_proj.weight", &DrafterLayerWeights::v_proj,
     [](const DrafterConfig& c) { return Shape{c.kv_size(), c.hidden}; }},
    {"self_attn.o_proj.weight", &DrafterLayerWeights::o_proj,
     [](const DrafterConfig& c) { return Shape{c.hidden, c.query_size()}; }},
    {"self_attn.q_norm.weight", &DrafterLayerWeights::q_norm, [](const DrafterConfig& c) { return Shape{c.head_dim}; }},
    {"self_attn.k_norm.weight", &DrafterLayerWeights::k_norm, [](const DrafterConfig& c) { return Shape{c.head_dim}; }},
    {"post_attention_layernorm.weight", &DrafterLayerWeights::post_attention_layernorm,
     [](const DrafterConfig& c) { return Shape{c.hidden}; }},
    {"mlp.gate_proj.weight", &DrafterLayerWeights::gate_proj,
     [](const DrafterConfig& c) { return Shape{c.intermediate, c.hidden}; }},
    {"mlp.up_proj.weight", &DrafterLayerWeights::up_proj,
     [](const DrafterConfig& c) { return Shape{c.intermediate, c.hidden}; }},
    {"mlp.down_proj.weight", &DrafterLayerWeights::down_proj,
     [](const DrafterConfig& c) { return Shape{c.hidden, c.intermediate}; }},
};

template <typename Weights, typename Visit>
void visit_parameters(Weights& weights, const Visit& visit) {
  visit("fc.weight", weights.fc);
  visit("hidden_norm.weight", weights.hidden_norm);
  visit("norm.weight", weights.norm);
  for (std::size_t index = 0; index < weights.layers.size(); ++index) {
    for (const auto& parameter : kLayerParameters) {
      visit(fmt::format("layers.{}.{}", index, parameter.name), weights.layers[index].*parameter.tensor);
    }
  }
}

/// One normal deviate by Box and Muller, from the counter alone, so that neither threads nor a library's generator
/// enter.
float normal_deviate(std::uint64_t seed, std::uint64_t parameter, std::int64_t index) {
  const auto key = static_cast<std::uint64_t>(index);
  const double radius = std::sqrt(-2.0 * std::log(1.0 - counter_uniform(seed, {parameter, key, 0})));
  return static_cast<float>(radius * std::cos(2.0 * std::numbers::pi * counter_uniform(seed, {parameter, key, 1})));
}

at::Tensor normal_tensor(const Shape& shape, double deviation, std::uint64_t seed, std::uint64_t parameter) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  float* data = tensor.data_ptr<float>();
  at::parallel_for(0, tensor.numel(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      data[i] = static_cast<float>(deviation) * normal_deviate(seed, parameter, i);
    }
  });
  return tensor;
}

}  // namespace

void for_each_parameter(DrafterWeights& weights, const std::function<void(const std::string&, at::Tensor&)>& visit) {
  visit_parameters(weights, visit);
}

void for_each_parameter(const DrafterWeights& weights,
                        const std::function<void(const std::string&, const at::Tensor&)>& visit) {
  visit_parameters(weights, visit);
}

std::vector<std::int64_t> parameter_shape(const DrafterConfig& config, const std::string& name) {
  if (name == "fc.weight") {
    return {config.hidden, config.num_taps() * config.hidden};
  }
  if (name == "hidden_norm.weight" || name == "norm.weight") {
    return {config.hidden};
  }
  for (const auto& parameter : kLayerParameters) {
    if (name.starts_with("layers.") && name.ends_with(std::string(".") + parameter.name)) {
      return parameter.shape(config);
    }
  }
  throw_internal_error("known parameter", fmt::format("a drafter has no parameter '{}'", name));
}

DrafterWeights empty_drafter(const DrafterConfig& config) {
  DrafterWeights weights;
  weights.layers.resize(static_cast<std::size_t>(config.layers));
  return weights;
}

DrafterWeights init_drafter(const DrafterConfig& config, std::uint64_t seed) {
  std::uint64_t parameter = 0;
  DrafterWeights weights = empty_drafter(config);
  for_each_parameter(weights, [&](const std::string& name, at::Tensor& tensor) {
    const Shape shape = parameter_shape(config, name);
    tensor = shape.size() == 1 ? at::ones(shape, at::kFloat)
                               : normal_tensor(shape, config.initializer_range, seed, parameter);
    ++parameter;
  });
  return weights;
}

DrafterWeights map_parameters(const DrafterWeights& weights, const std::function<at::Tensor(const at::Tensor&)>& map) {
  DrafterWeights mapped = weights;
  for_each_parameter(mapped, [&](const std::string&, at::Tensor& tensor) { tensor = map(tensor); });
  return mapped;
}

}  // namespace dflash
