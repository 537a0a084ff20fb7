// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/telemetry/timeline.h"

namespace dflash {

struct HandMadePlace {
  std::string lane = "cpu";
  std::string device;
  std::int64_t slots = 1;
};
struct HandMadeEdge {
  std::int64_t capacity = 8;
  std::int64_t items_a_firing = 1;
  bool blocks = true;
  std::int64_t initial = 0;
  std::int64_t bytes = 0;
};

/// A timeline for a replay that looks at durations and counts only: each stage has fired once after another without any
/// waiting, whatever the others did.
class HandMadeTimeline {
 public:
  /// One firing for each of `host_ns`; on a device, its work there takes that of `device_ns`.
  std::size_t stage(const std::string& name, const std::vector<std::int64_t>& host_ns, const HandMadePlace& place = {},
                    const std::vector<std::int64_t>& device_ns = {}) {
    StageTimeline& stage = timeline.stages.emplace_back();
    stage.name = name;
    stage.lane = place.lane;
    stage.device = place.device;
    stage.slots = place.slots;
    std::int64_t at = 0;
    std::int64_t device_at = 0;
    for (std::size_t i = 0; i < host_ns.size(); ++i) {
      const std::int64_t number = static_cast<std::int64_t>(i) + 1;
      stage.firings.push_back({.number = number, .free = at, .ready = at, .begin = at, .end = at + host_ns[i]});
      if (!device_ns.empty()) {
        const std::int64_t begin = std::max(at, device_at);
        device_at = begin + device_ns[i];
        stage.device_firings.push_back({.number = number, .queued = at, .begin = begin, .end = device_at});
      }
      at += host_ns[i];
    }
    lane(place.lane, place.slots);
    return timeline.stages.size() - 1;
  }

  /// All items that the firings of `from` gave, as far as `to` has firings that took them.
  std::size_t edge(std::size_t from, std::size_t to, const HandMadeEdge& rules) {
    EdgeTimeline& edge = timeline.edges.emplace_back();
    edge.name = timeline.stages[from].name + ".out->" + timeline.stages[to].name + ".in";
    edge.from_stage = from;
    edge.to_stage = to;
    edge.capacity_items = rules.capacity;
    edge.blocks = rules.blocks;
    for (std::int64_t i = 0; i < rules.initial; ++i) {
      edge.items.push_back({.seq = i - rules.initial, .to_firing = i + 1, .pushed = 0, .popped = 1});
    }
    const std::int64_t last = std::ssize(timeline.stages[to].firings);
    for (std::int64_t firing = 1; firing <= std::ssize(timeline.stages[from].firings); ++firing) {
      for (std::int64_t i = 0; i < rules.items_a_firing; ++i) {
        const std::int64_t taken = std::ssize(edge.items) + 1;
        edge.items.push_back({.seq = taken - 1 - rules.initial,
                              .from_firing = firing,
                              .to_firing = taken > last ? 0 : taken,
                              .pushed = 1,
                              .popped = 2,
                              .bytes = rules.bytes});
      }
    }
    return timeline.edges.size() - 1;
  }
  std::size_t edge(std::size_t from, std::size_t to, std::int64_t capacity = 8) {
    return edge(from, to, HandMadeEdge{.capacity = capacity});
  }

  /// A stage whose firings are `items` puts and as many pops, each of no length.
  std::size_t buffer(const std::string& name, std::int64_t items, std::int64_t capacity, std::int64_t min_ready) {
    const std::size_t made = stage(name, std::vector<std::int64_t>(static_cast<std::size_t>(2 * items), 0));
    BufferTimeline& buffer = timeline.buffers.emplace_back();
    buffer.stage = made;
    buffer.capacity_items = capacity;
    buffer.min_ready = min_ready;
    for (std::int64_t i = 1; i <= items; ++i) {
      buffer.items.push_back({.seq = i - 1, .from_firing = i, .to_firing = items + i, .pushed = 1, .popped = 2});
    }
    return made;
  }
  /// The edge from a buffer: the items of its pops.
  std::size_t edge_from_buffer(std::size_t from, std::size_t to, std::int64_t capacity = 8) {
    EdgeTimeline& edge = timeline.edges.emplace_back();
    edge.name = timeline.stages[from].name + ".out->" + timeline.stages[to].name + ".in";
    edge.from_stage = from;
    edge.to_stage = to;
    edge.capacity_items = capacity;
    const std::int64_t items = std::ssize(timeline.stages[from].firings) / 2;
    for (std::int64_t i = 1; i <= items; ++i) {
      edge.items.push_back({.seq = i - 1, .from_firing = items + i, .to_firing = i, .pushed = 1, .popped = 2});
    }
    return timeline.edges.size() - 1;
  }

  /// Each firing of the stage up to `steps` has completed one.
  void steps(std::size_t stage, std::int64_t steps) {
    timeline.stages[stage].makes_steps = true;
    for (std::int64_t i = 0; i < steps; ++i) {
      timeline.steps.push_back({.step = i + 1, .at = timeline.stages[stage].firings[static_cast<std::size_t>(i)].end});
    }
  }

  /// After the body of its firing of that number, the stage has evaluated for so long; all that follow come later.
  void between_steps(std::size_t stage, std::int64_t number, std::int64_t ns) {
    for (FiringEvent& firing : timeline.stages[stage].firings) {
      if (firing.number < number) {
        continue;
      }
      firing.end += ns;
      if (firing.number == number) {
        firing.between = ns;
      } else {
        firing.free += ns;
        firing.ready += ns;
        firing.begin += ns;
      }
    }
    for (StepEvent& step : timeline.steps) {
      step.at += step.step > number ? ns : 0;
    }
  }

  LaneRecord& lane(const std::string& name, std::int64_t more_workers = 0) {
    auto found = std::ranges::find(timeline.lanes, name, &LaneRecord::name);
    if (found == timeline.lanes.end()) {
      found = timeline.lanes.insert(found, {.name = name});
    }
    found->workers += more_workers;
    return *found;
  }

  Timeline timeline;
};

/// A chain of stages s0, s1, ... with one firing for each of their times.
inline HandMadeTimeline chain_of(const std::vector<std::vector<std::int64_t>>& service, std::int64_t capacity) {
  HandMadeTimeline made;
  for (std::size_t i = 0; i < service.size(); ++i) {
    made.stage("s" + std::to_string(i), service[i]);
    if (i > 0) {
      made.edge(i - 1, i, capacity);
    }
  }
  return made;
}

}  // namespace dflash
