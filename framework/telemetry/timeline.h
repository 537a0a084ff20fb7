// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/telemetry/recent.h"

namespace dflash {

/// What happened in a run and when: the newest firings, items and steps one by one, as far as memory allows, beside the
/// sums of RunRecord. All times in nanoseconds since the run began (`Timeline::wall_ns` is its end).

/// A firing as its slot saw it. The slot was free from `free`, all that it waited for was there at `ready`; what lies
/// between `ready` and `begin` was waiting for a worker. What it waited for last is charged with all of the time up to
/// `ready`: first `starved` or `blocked` nanoseconds, the rest for a device.
struct FiringEvent {
  std::int64_t number = 0;  // 1-based, goes on counting after a resume; 0: the drain
  std::int64_t slot = 0;
  std::int64_t free = 0;
  std::int64_t ready = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t starved = 0;  // nanoseconds, for an input
  std::int64_t blocked = 0;  // nanoseconds, for room on an edge
  /// Nanoseconds before `end` that are no part of its body: until the run had settled, and what was due between steps
  /// (evaluation, checkpoint) was done.
  std::int64_t between = 0;

  /// For an input that its device still made, or for the stage's own earlier firings there.
  [[nodiscard]] std::int64_t gpu_wait() const { return ready - free - starved - blocked; }
  [[nodiscard]] std::int64_t body_end() const { return end - between; }
};

/// The same firing's work on its device, seen by the device's own clock.
struct DeviceEvent {
  std::int64_t number = 0;
  std::int64_t slot = 0;
  std::int64_t queued = 0;  // before any of it was given to the device
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t seen = 0;    // by the host, which gave back then what the firing held
  std::int64_t hidden = 0;  // nanoseconds, of StageRecord::hidden_launch_ns
  std::int64_t lag = 0;     // nanoseconds, of StageRecord::gpu_lag_ns
};

/// A named part of a firing ("forward"), on the host or on the device.
struct SpanEvent {
  std::int64_t number = 0;  // of the firing
  std::int64_t slot = 0;
  std::int64_t name = 0;  // index into StageTimeline::span_names
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// An item on an edge. Nobody took it where `to_firing` is 0; `popped` is then when it was dropped or given up.
struct ItemEvent {
  std::int64_t seq = 0;          // of its output port, 0-based
  std::int64_t from_firing = 0;  // of the producer; 0: its drain, or there from the beginning
  std::int64_t to_firing = 0;    // of the consumer
  std::int64_t pushed = 0;
  std::int64_t popped = 0;
  std::int64_t bytes = 0;
};

struct StepEvent {
  std::int64_t step = 0;  // 1-based
  std::int64_t at = 0;    // its firing completed it
};

/// What a device has used by then, counted since the run began.
struct UsageEvent {
  std::int64_t at = 0;
  std::int64_t memory_bytes = 0;  // allocated at that moment
  std::int64_t allocations = 0;   // calls that asked the driver for memory
  std::int64_t frees = 0;         // calls that gave memory back to the driver
  std::int64_t maps = 0;          // of memory into reserved addresses
  std::int64_t unmaps = 0;
  std::int64_t host_waits = 0;
};

/// Entries stand in the order of their end.
struct StageTimeline {
  std::string name;
  std::string lane;
  std::string device;  // empty: it works on the host
  std::int64_t slots = 1;
  bool makes_steps = false;  // its firings complete the steps; of one stage at most
  std::vector<FiringEvent> firings;
  std::vector<DeviceEvent> device_firings;
  std::vector<std::string> span_names;
  std::vector<SpanEvent> spans;
  std::vector<SpanEvent> device_spans;
  std::int64_t lost = 0;         // firings, or a part of one, that are no longer kept
  std::int64_t whole_since = 0;  // all that ended then or later are kept; 0: none is lost

  /// Counts what the log of one slot has lost.
  template <class Event>
  void note_lost(const Recent<Event>& log) {
    if (log.lost() > 0) {
      lost += log.lost();
      whole_since = std::max(whole_since, log.oldest().end);
    }
  }
  /// Its place among `span_names`, where it is added if it is not there yet.
  std::int64_t index_of_span(const std::string& span) {
    const auto found = std::find(span_names.begin(), span_names.end(), span);
    const std::int64_t index = found - span_names.begin();
    if (found == span_names.end()) {
      span_names.push_back(span);
    }
    return index;
  }
};

/// Items stand in the order in which they left.
struct EdgeTimeline {
  std::string name;
  std::size_t from_stage = 0;  // index into Timeline::stages
  std::size_t to_stage = 0;
  std::int64_t capacity_items = 0;
  bool blocks = true;  // when full; else it drops
  std::vector<ItemEvent> items;
  std::int64_t lost = 0;
};

/// A Buffer stage's content. Its firings are puts and pops: `ItemEvent::from_firing` is the put, `to_firing` the pop.
struct BufferTimeline {
  std::size_t stage = 0;
  std::int64_t capacity_items = 0;
  std::int64_t min_ready = 1;
  std::vector<ItemEvent> items;
  std::int64_t lost = 0;
};

struct DeviceTimeline {
  std::string name;
  std::vector<UsageEvent> usage;
};

struct LaneRecord {
  std::string name;
  std::int64_t workers = 0;
};

struct Timeline {
  std::int64_t wall_ns = 0;
  std::vector<StageTimeline> stages;  // as in RunRecord::stages
  std::vector<EdgeTimeline> edges;    // as in RunRecord::edges, without buffers
  std::vector<BufferTimeline> buffers;
  std::vector<DeviceTimeline> devices;
  std::vector<LaneRecord> lanes;
  std::vector<StepEvent> steps;
  std::int64_t steps_lost = 0;
};

}  // namespace dflash
