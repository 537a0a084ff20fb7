// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <deque>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include "framework/core/graph.h"
#include "framework/runtime/executor.h"

/// What a hop costs: chains of N stages with empty bodies, on bare oneTBB (unbounded, unmeasured), on what one would
/// take instead where something must be bounded, and on our edges of capacity 4, measured and not. `ns_per_hop` is wall
/// time over items times N, `cpu_ns_per_hop` the processor time of all threads, which says more on a machine that
/// others use too.

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
  static StageInfo info() { return {.type = "numbers", .summary = "counts"}; }
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

using Node = tbb::flow::function_node<std::int64_t, std::int64_t>;

std::list<Node> make_chain(tbb::flow::graph& graph, std::int64_t stages) {
  std::list<Node> nodes;
  for (std::int64_t i = 0; i < stages; ++i) {
    nodes.emplace_back(graph, tbb::flow::serial, [](std::int64_t value) { return value; });
    if (i > 0) {
      tbb::flow::make_edge(*std::prev(nodes.end(), 2), nodes.back());
    }
  }
  return nodes;
}

void bare_flow_graph(benchmark::State& state) {
  const HopTimer timer{state};
  const auto stages = state.range(0);
  for (auto _ : state) {
    tbb::flow::graph graph;
    std::list<Node> nodes = make_chain(graph, stages);
    for (std::int64_t i = 0; i < kItems; ++i) {
      nodes.front().try_put(i);
    }
    graph.wait_for_all();
  }
}

/// A limiter in front bounds what is under way in all; no edge of its own is bounded.
void limited_flow_graph(benchmark::State& state) {
  const HopTimer timer{state};
  const auto stages = state.range(0);
  for (auto _ : state) {
    tbb::flow::graph graph;
    std::int64_t position = 0;
    tbb::flow::input_node<std::int64_t> source{graph, [&](tbb::flow_control& control) {
                                                 if (position == kItems) {
                                                   control.stop();
                                                 }
                                                 return position++;
                                               }};
    tbb::flow::limiter_node<std::int64_t> limiter{graph, static_cast<std::size_t>(kCapacity * stages)};
    std::list<Node> nodes = make_chain(graph, stages);
    tbb::flow::function_node<std::int64_t, tbb::flow::continue_msg> last{
        graph, tbb::flow::serial, [](std::int64_t) { return tbb::flow::continue_msg{}; }};
    tbb::flow::make_edge(source, limiter);
    tbb::flow::make_edge(limiter, nodes.front());
    tbb::flow::make_edge(nodes.back(), last);
    tbb::flow::make_edge(last, limiter.decrementer());
    source.activate();
    graph.wait_for_all();
  }
}

/// oneTBB's pipeline: one item goes through all its filters on one thread; tokens bound what is under way in all.
void parallel_pipeline(benchmark::State& state) {
  const HopTimer timer{state};
  const auto stages = state.range(0);
  for (auto _ : state) {
    std::int64_t position = 0;
    auto filters =
        tbb::make_filter<void, std::int64_t>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
          if (position == kItems) {
            control.stop();
          }
          return position++;
        });
    for (std::int64_t i = 1; i + 1 < stages; ++i) {
      filters = filters & tbb::make_filter<std::int64_t, std::int64_t>(tbb::filter_mode::serial_in_order,
                                                                       [](std::int64_t value) { return value; });
    }
    const auto all =
        filters & tbb::make_filter<std::int64_t, void>(tbb::filter_mode::serial_in_order,
                                                       [](std::int64_t value) { benchmark::DoNotOptimize(value); });
    tbb::parallel_pipeline(static_cast<std::size_t>(kCapacity * stages), all);
  }
}

class BoundedQueue {
 public:
  void push(std::int64_t value) {
    std::unique_lock lock{mutex_};
    has_room_.wait(lock, [this] { return static_cast<std::int64_t>(items_.size()) < kCapacity; });
    items_.push_back(value);
    has_item_.notify_one();
  }
  std::int64_t pop() {
    std::unique_lock lock{mutex_};
    has_item_.wait(lock, [this] { return !items_.empty(); });
    const std::int64_t value = items_.front();
    items_.pop_front();
    has_room_.notify_one();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::condition_variable has_item_;
  std::deque<std::int64_t> items_;
};

/// What one writes by hand: a thread a stage, a queue with a lock and two conditions between them.
void threads_and_queues(benchmark::State& state) {
  const HopTimer timer{state};
  const auto stages = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    std::deque<BoundedQueue> queues(stages);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i + 1 < stages; ++i) {
      threads.emplace_back([&queues, i] {
        for (std::int64_t n = 0; n < kItems; ++n) {
          queues[i + 1].push(queues[i].pop());
        }
      });
    }
    threads.emplace_back([&queues] {
      for (std::int64_t n = 0; n < kItems; ++n) {
        benchmark::DoNotOptimize(queues.back().pop());
      }
    });
    for (std::int64_t n = 0; n < kItems; ++n) {
      queues.front().push(n);
    }
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
BENCHMARK(limited_flow_graph)->Arg(2)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(parallel_pipeline)->Arg(2)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(threads_and_queues)->Arg(2)->Arg(8)->Unit(benchmark::kMillisecond);
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
