// SPDX-License-Identifier: Apache-2.0
#include "tests/stages/models/golden_problem.h"

#include <ATen/ATen.h>

#include "framework/core/counter_random.h"

namespace dflash {
namespace {

DrafterConfig golden_config(GoldenLayout layout) {
  DrafterConfig config;
  config.hidden = 16;
  config.intermediate = 24;
  config.layers = 2;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 8;
  config.block_size = 4;
  config.mask_token_id = 39;
  config.target_layer_ids = {1, 3};
  config.num_target_layers = 6;
  config.layer_types = layer_kinds(layout == GoldenLayout::kFull ? "full" : "sliding", 2);
  config.window = layout == GoldenLayout::kFull ? 0 : 6;
  config.sliding_causal = layout != GoldenLayout::kSlidingBidirectional;
  config.rope_theta = 10000;
  config.vocab_size = 40;
  return config;
}

DrafterWeights golden_weights(const DrafterConfig& config, at::ScalarType dtype) {
  DrafterWeights weights = empty_drafter(config);
  std::uint64_t seed = 100;
  for_each_parameter(weights, [&](const std::string& name, at::Tensor& tensor) {
    const auto shape = parameter_shape(config, name);
    const bool norm = shape.size() == 1;
    tensor = golden_uniform(seed++, shape, norm ? 0.8 : -0.3, norm ? 1.2 : 0.3).to(dtype).set_requires_grad(true);
  });
  return weights;
}

}  // namespace

at::Tensor golden_uniform(std::uint64_t seed, const std::vector<std::int64_t>& shape, double low, double high) {
  at::Tensor tensor = at::empty(shape, at::kDouble);
  double* data = tensor.data_ptr<double>();
  std::uint64_t state = seed;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    data[i] = low + (high - low) * (static_cast<double>(scatter(state) >> 11) * 0x1.0p-53);
    state += 0x9E3779B97F4A7C15ULL;
  }
  return tensor;
}

GoldenProblem golden_problem(GoldenLayout layout, at::ScalarType dtype) {
  GoldenProblem problem;
  problem.config = golden_config(layout);
  problem.weights = golden_weights(problem.config, dtype);
  problem.embedding = golden_uniform(1, {40, 16}, -1, 1).to(dtype);
  problem.head = golden_uniform(2, {40, 16}, -1, 1).to(dtype);
  problem.features.base = golden_uniform(3, {20, 32}, -1, 1).to(dtype);
  const at::Tensor ids = golden_uniform(4, {20}, 0, 39).to(at::kLong);
  problem.ids.assign(ids.data_ptr<std::int64_t>(), ids.data_ptr<std::int64_t>() + 20);
  problem.loss_mask.assign(20, 0);
  std::fill_n(problem.loss_mask.begin() + 4, 7, 1);
  std::fill_n(problem.loss_mask.begin() + 13, 5, 1);
  problem.documents = {{.row = 0, .begin = 0, .length = 11}, {.row = 1, .begin = 11, .length = 7}};
  return problem;
}

PackTokens GoldenProblem::tokens() const {
  const at::Tensor document_of = at::full({static_cast<std::int64_t>(ids.size())}, -1, at::kLong);
  for (std::size_t d = 0; d < documents.size(); ++d) {
    document_of.narrow(0, documents[d].begin, documents[d].length).fill_(static_cast<std::int64_t>(d));
  }
  return {ids, loss_mask, documents, document_of};
}

BlockLayout GoldenProblem::layout(std::int64_t slots) const {
  return lay_out_blocks(tokens(), anchors, {slots, config.block_size, config.mask_token_id});
}

at::Tensor flat_gradients(const DrafterWeights& weights) {
  std::vector<at::Tensor> flat;
  for_each_parameter(weights, [&](const std::string&, const at::Tensor& tensor) {
    flat.push_back(tensor.grad().flatten().to(at::kDouble));
  });
  return at::cat(flat);
}

void zero_gradients(DrafterWeights& weights) {
  for_each_parameter(weights, [](const std::string&, at::Tensor& tensor) { tensor.mutable_grad() = at::Tensor(); });
}

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kDouble).contiguous().flatten();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

}  // namespace dflash
