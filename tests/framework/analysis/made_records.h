// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "framework/analysis/run_records.h"

namespace dflash {

/// The records of a run without noise: "source" hands numbers over to "sink", which makes a step of each.
struct MadeRun {
  std::string name = "runs/a";
  std::int64_t steps = 100;
  std::int64_t step_ns = 1000;
  std::int64_t tokens = 50;
  double loss_factor = 1.0;
  std::string sink_type = "adder";

  [[nodiscard]] RunRecords records() const {
    RunRecords run{.name = name};
    StageTimeline source{.name = "source"};
    StageTimeline sink{.name = "sink"};
    EdgeTimeline edge{.name = "source.out->sink.in", .from_stage = 0, .to_stage = 1};
    for (std::int64_t step = 1; step <= steps; ++step) {
      const std::int64_t at = step * step_ns;
      source.firings.push_back({.number = step, .begin = at - step_ns, .end = at - step_ns + 200});
      sink.firings.push_back({.number = step, .begin = at - step_ns / 2, .end = at});
      edge.items.push_back({.seq = step - 1, .to_firing = step, .pushed = at - step_ns, .popped = at - step_ns / 2});
      run.timeline.steps.push_back({.step = step, .at = at});
      run.metrics.push_back({{"step", step}, {"loss", loss_factor / static_cast<double>(step)}, {"tokens", tokens}});
    }
    run.timeline.stages = {source, sink};
    run.timeline.edges = {edge};
    run.report = {
        {"outcome", {{"code", 0}, {"text", "done"}}},
        {"stages", {{{"name", "source"}, {"type", "numbers"}}, {{"name", "sink"}, {"type", sink_type}}}},
        {"edges", {{{"name", edge.name}, {"mean_fill", 0.5}}}},
        {"provenance", {{"device", "cpu"}, {"hardware", {{"cpu", "x"}, {"cores", 2}}}, {"versions", {{"app", "1"}}}}}};
    run.graph = {{"name", "made"}, {"stages", {{"sink", {{"type", sink_type}, {"params", {{"mode", "plain"}}}}}}}};
    return run;
  }
};

}  // namespace dflash
