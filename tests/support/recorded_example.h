// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/analysis/pipeline_replay.h"
#include "framework/core/json.h"
#include "framework/report/timeline_json.h"
#include "tests/framework/analysis/hand_made_timeline.h"

namespace dflash {

/// Makes the files that commands on timelines read, of a source, a slow stage, a buffer and a sink.
inline void write_recorded_example(const std::filesystem::path& folder) {
  HandMadeTimeline made;
  made.stage("data", std::vector<std::int64_t>(50, 10'000));
  made.stage("work", std::vector<std::int64_t>(50, 40'000));
  made.buffer("queue", 50, 8, 2);
  made.stage("step", std::vector<std::int64_t>(50, 25'000));
  made.edge(0, 1, {.capacity = 4, .bytes = 1024});
  made.edge(1, 2, {.capacity = 4, .bytes = 1024});
  made.edge_from_buffer(2, 3, 4);
  made.lane("cpu").workers = 8;
  const Timeline timeline = replay(model_of(made.timeline)).timeline;
  const Json graph = Json::parse(R"({"name": "example",
      "stages": {"data": {}, "work": {}, "queue": {"params": {"capacity": 8, "min_ready": 2}}, "step": {}},
      "edges": [{"from": "data.out", "to": "work.in", "capacity": {"items": 4}},
                {"from": "work.out", "to": "queue.in", "capacity": {"items": 4}},
                {"from": "queue.out", "to": "step.in", "capacity": {"items": 4}}]})");
  std::ofstream{folder / "resolved.json"} << Json{{"graph", graph}}.dump();
  std::ofstream{folder / "timeline.json"} << timeline_json(timeline).dump();
}

}  // namespace dflash
