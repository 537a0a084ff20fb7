// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/run_progress.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <nlohmann/json.hpp>

#include "framework/analysis/run_series.h"
#include "framework/report/behind_drops.h"

namespace dflash {
namespace {

/// What the report has of each edge's drops goes for the timeline's edges.
std::vector<bool> behind_drops(const RunRecords& run) {
  std::map<std::string, std::int64_t> drops;
  for (const Json& edge : run.report.value("edges", Json::array())) {
    drops[edge.value("name", "")] = edge.value("drops", std::int64_t{0});
  }
  RunRecord record;
  record.stages.resize(run.timeline.stages.size());
  for (const EdgeTimeline& edge : run.timeline.edges) {
    record.edges.push_back({.name = edge.name,
                            .from_stage = edge.from_stage,
                            .to_stage = edge.to_stage,
                            .capacity_bytes = {},
                            .residence = {},
                            .drops = drops[edge.name]});
  }
  return stages_behind_drops(record);
}

}  // namespace

RunProgress progress_of(const RunRecords& run) {
  RunProgress progress{.name = run.name,
                       .makes_steps = !run.timeline.steps.empty(),
                       .steps = step_series(run.timeline, run.metrics),
                       .paces = {},
                       .losses = losses_of(run.metrics)};
  if (!progress.makes_steps) {
    const std::vector<bool> behind = behind_drops(run);
    for (std::size_t i = 0; i < run.timeline.stages.size(); ++i) {
      if (!behind[i]) {
        progress.paces.push_back({run.timeline.stages[i].name, pace_series(run.timeline.stages[i])});
      }
    }
  }
  return progress;
}

std::vector<const RunProgress*> pointers_to(const std::vector<RunProgress>& runs) {
  std::vector<const RunProgress*> pointers;
  std::ranges::transform(runs, std::back_inserter(pointers), [](const RunProgress& run) { return &run; });
  return pointers;
}

}  // namespace dflash
