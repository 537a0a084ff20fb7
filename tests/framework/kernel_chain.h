// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "framework/runtime/executor.h"
#include "tests/framework/device_stages.h"
#include "tests/framework/test_stages.h"

namespace dflash {

inline const StageRecord& stage_of(const RunRecord& record, std::string_view name) {
  return *std::ranges::find(record.stages, name, &StageRecord::name);
}

/// The run ended well, and each slot's time is accounted for.
inline void expect_whole(const RunRecord& record) {
  EXPECT_EQ(record.outcome.code, 0) << record.outcome.text;
  for (const StageRecord& stage : record.stages) {
    EXPECT_LE(std::abs(stage.unaccounted_ns), stage.slots * record.wall_ns / 100) << stage.name;
  }
}

/// source -> first -> second -> host on a simulated device; `placement` is that of `first`, `capacity` that of each
/// edge.
struct KernelChain {
  KernelChain(std::int64_t items, std::chrono::nanoseconds first_kernel, std::chrono::nanoseconds second_kernel,
              Placement placement = {}, Capacity capacity = {}) {
    auto& source = graph.add<NumberSource>("source", items);
    first = dynamic_cast<KernelStage*>(&graph.add_stage(
        "first", KernelStage::info(), std::make_unique<KernelStage>(first_kernel), std::move(placement)));
    second = &graph.add<KernelStage>("second", second_kernel);
    host = &graph.add<HostStage>("host");
    graph.connect(source.out, first->in, capacity);
    graph.connect(first->out, second->in, capacity);
    graph.connect(second->out, host->in, capacity);
  }
  RunRecord run(RunOptions options = {}) {
    options.device = "sim:0";
    return Executor{graph, std::move(options)}.run();
  }

  Graph graph;
  KernelStage* first;
  KernelStage* second;
  HostStage* host;
};

}  // namespace dflash
