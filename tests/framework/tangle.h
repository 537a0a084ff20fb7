// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"

namespace dflash {

/// A diamond with a buffer, a packer, a feedback loop and a stage with several slots: all that can block or starve.
struct Tangle {
  explicit Tangle(std::int64_t numbers = 500, std::chrono::microseconds pause = {}) {
    auto& source = graph.add<NumberSource>("source", numbers);
    Placement thrice;
    thrice.replicas = 3;
    auto slots = std::make_unique<SleepyStage>(pause);
    SleepyStage& parallel = *slots;
    graph.add_stage("parallel", SleepyStage::info(), std::move(slots), thrice);
    auto& queue = graph.add<NumberQueue>("queue", 5, 3);
    auto& join = graph.add<NumberJoin>("join");
    auto& sums = graph.add<NumberJoin>("sums");
    auto& packer = graph.add<NumberPacker>("packer", 7);
    sink = &graph.add<NumberSink>("sink");
    graph.connect(source.out, parallel.in, {.items = 2});
    graph.connect(source.out, queue.in, {.items = 1});
    graph.connect(parallel.out, join.left, {.items = 3});
    graph.connect(queue.out, join.right, {.items = 4});
    graph.connect(join.out, sums.left, {.items = 1});
    graph.connect(sums.out, sums.right, {.items = 2}, {.feedback = true, .initial = 1});
    graph.connect(sums.out, packer.in, {.items = 1});
    graph.connect(packer.out, sink->in, {.items = 2});
  }
  std::vector<std::int64_t> run(std::optional<std::uint64_t> seed) {
    RunOptions options;
    options.order_seed = seed;
    record = Executor{graph, options}.run();
    return sink->seen;
  }
  Graph graph;
  NumberSink* sink = nullptr;
  RunRecord record;
};

}  // namespace dflash
