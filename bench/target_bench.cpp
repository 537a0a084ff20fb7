// SPDX-License-Identifier: Apache-2.0
// The tiny target's cost: a packed forward to the last tap, and batched greedy generation. On the GPU where there is
// one.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <benchmark/benchmark.h>

#include "stages/models/generate.h"
#include "stages/models/target.h"

namespace dflash {
namespace {

const TargetConfig kConfig{.vocab_size = 2048,
                           .hidden_size = 128,
                           .intermediate_size = 384,
                           .num_hidden_layers = 6,
                           .num_attention_heads = 4,
                           .num_key_value_heads = 2,
                           .head_dim = 32,
                           .max_position_embeddings = 1024,
                           .rope_theta = 1e4,
                           .tie_word_embeddings = true};

at::Device device() { return at::hasCUDA() ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU); }

std::vector<std::int64_t> starts_of(std::int64_t rows, std::int64_t length) {
  std::vector<std::int64_t> starts;
  for (std::int64_t start = 0; start <= rows; start += length) {
    starts.push_back(start);
  }
  return starts;
}

void packed_forward(benchmark::State& state) {
  const at::NoGradGuard no_grad;
  const std::int64_t rows = state.range(0);
  const TargetWeights weights = init_target(kConfig, 1, device());
  const at::Tensor ids = at::arange(rows, at::TensorOptions().dtype(at::kLong).device(device()));
  const PackedTokens tokens{.ids = ids.remainder(kConfig.vocab_size),
                            .positions = ids.remainder(128),
                            .document_starts = starts_of(rows, 128)};
  for (auto iteration : state) {
    const TargetOutput output = target_forward(weights, kConfig, tokens, {.tap_ids = {1, 3, 4}});
    benchmark::DoNotOptimize(output.taps.back().flatten()[0].item<float>());
  }
  state.counters["tokens_per_s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * rows), benchmark::Counter::kIsRate);
}

void greedy_generation(benchmark::State& state) {
  const TargetWeights weights = init_target(kConfig, 1, device());
  std::vector<Prompt> prompts;
  for (std::int64_t row = 0; row < state.range(0); ++row) {
    prompts.push_back(
        {.ids = std::vector<std::int64_t>(static_cast<std::size_t>(10 + row % 20), row % 7), .row_id = row});
  }
  for (auto iteration : state) {
    benchmark::DoNotOptimize(generate(weights, kConfig, prompts, {.max_new_tokens = 160}));
  }
  state.counters["tokens_per_s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * state.range(0) * 160), benchmark::Counter::kIsRate);
}

BENCHMARK(packed_forward)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(greedy_generation)->Arg(64)->Arg(512)->Arg(2048)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace dflash

int main(int argc, char** argv) {
  at::set_num_threads(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
