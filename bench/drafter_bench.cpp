// SPDX-License-Identifier: Apache-2.0
// One drafter step of the embedded default's shape on one thread: a pack of 1024 tokens, 128 anchors, blocks of 8.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include "stages/models/adamw.h"
#include "stages/models/draft_head.h"
#include "stages/models/drafter.h"

namespace dflash {
namespace {

constexpr std::int64_t kLength = 1024, kAnchors = 128, kVocabulary = 1024;

struct StepProblem {
  DrafterConfig config;
  DrafterWeights weights;
  at::Tensor embedding, head;
  Features features;
  BlockLayout layout;
};

DrafterConfig bench_config() {
  DrafterConfig config;
  config.hidden = 128;
  config.intermediate = 384;
  config.layers = 2;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 32;
  config.block_size = 8;
  config.mask_token_id = 1;
  config.target_layer_ids = {1, 3, 4};
  config.num_target_layers = 6;
  config.layer_types = layer_kinds("full", 2);
  config.vocab_size = kVocabulary;
  return config;
}

/// A pack of `documents` equal documents whose first quarter is unsupervised.
BlockLayout bench_layout(std::int64_t documents, const DrafterConfig& config) {
  std::vector<std::int64_t> ids(kLength);
  std::vector<std::uint8_t> mask(kLength, 1);
  std::vector<PackDocument> parts;
  const std::int64_t length = kLength / documents;
  for (std::int64_t t = 0; t < kLength; ++t) {
    ids[static_cast<std::size_t>(t)] = (t * 7919) % kVocabulary;
    mask[static_cast<std::size_t>(t)] = t % length >= length / 4 ? 1 : 0;
  }
  for (std::int64_t d = 0; d < documents; ++d) {
    parts.push_back({static_cast<std::uint64_t>(d), d * length, length});
  }
  const at::Tensor document_of = at::arange(kLength).floor_divide(length);
  return lay_out_blocks({ids, mask, parts, document_of}, sample_anchors(mask, parts, {.num_anchors = kAnchors}),
                        {kAnchors, config.block_size, config.mask_token_id});
}

StepProblem step_problem(std::int64_t documents) {
  at::set_num_threads(1);
  StepProblem problem;
  problem.config = bench_config();
  problem.weights = map_parameters(init_drafter(problem.config, 1),
                                   [](const at::Tensor& tensor) { return tensor.clone().set_requires_grad(true); });
  problem.embedding = at::randn({kVocabulary, 128});
  problem.head = at::randn({kVocabulary, 128}) * 0.05;
  problem.features.base = at::randn({kLength, 3 * 128});
  problem.layout = bench_layout(documents, problem.config);
  return problem;
}

DrafterOptions options_of(const benchmark::State& state) {
  return {.fc = FeatureFusion::kConcat,
          .attention = state.range(1) == 0 ? AttentionForm::kDense : AttentionForm::kSliced,
          .slice_blocks = std::max<std::int64_t>(state.range(1), 1)};
}

LossSums forward(const StepProblem& problem, const DrafterOptions& options) {
  const at::Tensor hidden =
      drafter_forward(problem.config, problem.weights, problem.embedding, problem.features, problem.layout, options);
  return draft_loss(hidden, {problem.head, {}}, problem.layout, {.gamma = 4});
}

/// Arguments: documents in the pack, blocks in a slice (0: dense attention).
void drafter_forward_loss(benchmark::State& state) {
  const StepProblem problem = step_problem(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(forward(problem, options_of(state)).numerator);
  }
}

void drafter_step(benchmark::State& state) {
  const StepProblem problem = step_problem(state.range(0));
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  for_each_parameter(problem.weights,
                     [&](const std::string& name, const at::Tensor& tensor) { parameters.emplace_back(name, tensor); });
  AdamW optimizer(parameters, {});
  for (auto _ : state) {
    const LossSums sums = forward(problem, options_of(state));
    sums.numerator.backward();
    optimizer.step(1e-4, sums.denominator);
  }
}

BENCHMARK(drafter_forward_loss)->ArgsProduct({{1, 6}, {0, 8, 16, 32}})->Unit(benchmark::kMillisecond);
BENCHMARK(drafter_step)->ArgsProduct({{1, 6}, {0, 8, 16, 32}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dflash

BENCHMARK_MAIN();
