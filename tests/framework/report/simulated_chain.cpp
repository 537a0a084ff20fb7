// SPDX-License-Identifier: Apache-2.0
#include "tests/framework/report/simulated_chain.h"

#include <algorithm>

#include "framework/telemetry/fill_meter.h"

namespace dflash {
namespace {

using Times = std::vector<std::vector<std::int64_t>>;  // by stage and item

struct Schedule {
  Times start;
  Times end;
};

Schedule schedule_of(const SimulatedChain& chain) {
  const std::size_t stages = chain.names.size();
  const std::size_t items = chain.service_ns.front().size();
  const auto capacity = static_cast<std::size_t>(chain.capacity);
  Schedule times{Times(stages, std::vector<std::int64_t>(items)), Times(stages, std::vector<std::int64_t>(items))};
  for (std::size_t n = 0; n < items; ++n) {
    for (std::size_t i = 0; i < stages; ++i) {
      const std::int64_t free = n == 0 ? 0 : times.end[i][n - 1];
      const std::int64_t input = i == 0 ? 0 : times.end[i - 1][n];
      const std::int64_t credit = i + 1 == stages || n < capacity ? 0 : times.start[i + 1][n - capacity];
      times.start[i][n] = std::max({free, input, credit});
      times.end[i][n] = times.start[i][n] + chain.service_ns[i][n];
    }
  }
  return times;
}

StageRecord stage_record(const SimulatedChain& chain, const Schedule& times, std::size_t i) {
  const std::size_t items = chain.service_ns.front().size();
  StageRecord stage{.name = chain.names[i], .type = "simulated", .lane = "cpu"};
  stage.firings = static_cast<std::int64_t>(items);
  for (std::size_t n = 0; n < items; ++n) {
    stage.busy_ns += chain.service_ns[i][n];
    stage.service.record(chain.service_ns[i][n]);
    const std::int64_t free = n == 0 ? 0 : times.end[i][n - 1];
    const std::int64_t wait = times.start[i][n] - free;
    const bool starved = i > 0 && times.end[i - 1][n] == times.start[i][n];
    if (n == 0) {
      stage.ended_ns += wait;
    } else {
      (starved ? stage.starved_in_ns : stage.blocked_out_ns) += wait;
    }
  }
  stage.ended_ns += times.end.back().back() - times.end[i].back();
  if (i > 0) {
    stage.starved_by.push_back({.edge = i - 1, .ns = stage.starved_in_ns});
  }
  if (i + 1 < chain.names.size()) {
    stage.blocked_by.push_back({.edge = i, .ns = stage.blocked_out_ns});
  }
  return stage;
}

EdgeRecord edge_record(const SimulatedChain& chain, const Schedule& times, std::size_t i) {
  EdgeRecord edge{.name = chain.names[i] + ".out->" + chain.names[i + 1] + ".in", .from_stage = i, .to_stage = i + 1};
  edge.capacity_items = chain.capacity;
  const std::int64_t wall = times.end.back().back();
  struct Change {
    std::int64_t at;
    std::int64_t by;
  };
  std::vector<Change> changes;
  for (std::size_t n = 0; n < times.end[i].size(); ++n) {
    const std::int64_t in = times.end[i][n];
    const std::int64_t out = times.start[i + 1][n];
    edge.residence.record(out - in);
    changes.push_back({in, 1});
    changes.push_back({out, -1});
    ++edge.items;
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  FillMeter meter;
  std::int64_t fill = 0;
  for (const Change& change : changes) {
    meter.advance(change.at, fill, fill >= chain.capacity);
    fill += change.by;
    edge.max_fill = std::max(edge.max_fill, fill);
  }
  meter.advance(wall, fill, false);
  meter.write(edge, wall);
  return edge;
}

}  // namespace

SimulatedChain constant_chain(const std::vector<std::string>& names, const std::vector<std::int64_t>& service_ns,
                              std::int64_t items, std::int64_t capacity) {
  SimulatedChain chain{.names = names, .service_ns = {}, .capacity = capacity};
  for (const std::int64_t service : service_ns) {
    chain.service_ns.emplace_back(static_cast<std::size_t>(items), service);
  }
  return chain;
}

RunRecord simulate(const SimulatedChain& chain) {
  const Schedule times = schedule_of(chain);
  RunRecord record;
  record.wall_ns = times.end.back().back();
  record.lanes.push_back({.name = "cpu", .workers = static_cast<std::int64_t>(chain.names.size())});
  for (std::size_t i = 0; i < chain.names.size(); ++i) {
    record.stages.push_back(stage_record(chain, times, i));
  }
  for (std::size_t i = 0; i + 1 < chain.names.size(); ++i) {
    record.edges.push_back(edge_record(chain, times, i));
  }
  return record;
}

}  // namespace dflash
