// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <list>
#include <optional>
#include <string>

#include <benchmark/benchmark.h>
#include <oneapi/tbb/flow_graph.h>

#include "framework/core/graph.h"
#include "framework/runtime/executor.h"

/// What a hop costs: chains of N stages with empty bodies, on bare oneTBB (unbounded, unmeasured) and on our edges of
/// capacity 4, measured and not. `ns_per_hop` is wall time over items times N, `cpu_ns_per_hop`
/// the processor time of all threads, which says more on a machine that others use too.

namespace dflash {

template <>
struct ItemType<std::int64_t> {
  static constexpr std::string_view kName = "number";
};

namespace {

constexpr std::int64_t kItems = 200'000;
constexpr std::int64_t kCapacity = 4;

struct Numbers final : Source<std::int64_t> {
  Numbers() : Source{"out", "numbers"} {}
  static StageInfo info() { return {.type = "numbers", .summary = "counts", .stateless = true}; }
  std::optional<std::int64_t> next(Firing&) override {
    return position < kItems ? std::optional{position++} : std::nullopt;
  }
  std::int64_t position = 0;
};

class HopTimer {
 public:
  explicit HopTimer(benchmark::State& state) : state_{&state}, start_{Clock::now()}, cpu_start_{std::clock()} {}
  ~HopTimer() {
    const double passed = std::chrono::duration<double, std::nano>(Clock::now() - start_).count();
    const double worked = static_cast<double>(std::clock() - cpu_start_) * 1e9 / CLOCKS_PER_SEC;
    const auto hops = static_cast<double>(state_->iterations() * kItems * state_->range(0));
    state_->counters["ns_per_hop"] = passed / hops;
    state_->counters["cpu_ns_per_hop"] = worked / hops;
    state_->counters["capacity"] = kCapacity;
  }

 private:
  using Clock = std::chrono::steady_clock;
  benchmark::State* state_;
  Clock::time_point start_;
  std::clock_t cpu_start_;  // of all threads
};

void bare_flow_graph(benchmark::State& state) {
  const HopTimer timer{state};
  const auto stages = state.range(0);
  for (auto _ : state) {
    tbb::flow::graph graph;
    using Node = tbb::flow::function_node<std::int64_t, std::int64_t>;
    std::list<Node> nodes;
    for (std::int64_t i = 0; i < stages; ++i) {
      nodes.emplace_back(graph, tbb::flow::serial, [](std::int64_t value) { return value; });
      if (i > 0) {
        tbb::flow::make_edge(*std::prev(nodes.end(), 2), nodes.back());
      }
    }
    for (std::int64_t i = 0; i < kItems; ++i) {
      nodes.front().try_put(i);
    }
    graph.wait_for_all();
  }
}

void run_chain(benchmark::State& state, bool instrument) {
  const HopTimer timer{state};
  const auto stages = state.range(0);
  for (auto _ : state) {
    Graph graph;
    auto& source = graph.add<Numbers>("source");
    const Output<std::int64_t>* feed = &source.out;
    for (std::int64_t i = 1; i < stages; ++i) {
      auto& stage = graph.add_function<std::int64_t, std::int64_t>("stage" + std::to_string(i),
                                                                   [](std::int64_t value) { return value; });
      graph.connect(*feed, stage.in, {.items = kCapacity});
      feed = &stage.out;
    }
    RunOptions options;
    options.instrument = instrument;
    const RunRecord record = Executor{graph, options}.run();
    if (record.outcome.code != 0 || record.stages.back().firings != kItems) {
      state.SkipWithError(record.outcome.text.c_str());
    }
  }
}

void dflash_graph(benchmark::State& state) { run_chain(state, true); }
void dflash_graph_uninstrumented(benchmark::State& state) { run_chain(state, false); }

BENCHMARK(bare_flow_graph)->Arg(2)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(dflash_graph)->Arg(2)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(dflash_graph_uninstrumented)
    ->Arg(2)
    ->Arg(8)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dflash

BENCHMARK_MAIN();
