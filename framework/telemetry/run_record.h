// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/telemetry/histogram.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// What a run measured: plain data that the runtime fills and the report reads. All times in nanoseconds of the steady
/// clock.

/// Waiting of one stage that is charged to one of its edges.
struct EdgeWait {
  std::size_t edge = 0;  // index into RunRecord::edges
  std::int64_t ns = 0;
};

struct SpanRecord {
  std::string name;
  std::int64_t count = 0;
  std::int64_t ns = 0;         // own time and that of nested spans, on the host
  std::int64_t device_ns = 0;  // on the device, of those that were seen to be done there
};

/// The time of a stage's slots, each nanosecond in exactly one state. The sum of busy, blocked_out, starved_in,
/// gpu_wait, dispatch, ended and unaccounted is slots x wall.
struct StageRecord {
  std::string name;
  std::string type;
  std::string lane;
  std::int64_t firings = 0;
  std::int64_t slots = 1;
  std::int64_t busy_ns = 0;
  std::int64_t drain_ns = 0;        // the part of busy_ns that is no firing's
  std::int64_t between_ns = 0;      // the part of busy_ns that is no body's: what is due between steps
  std::int64_t blocked_out_ns = 0;  // waiting for credit on an output edge
  std::int64_t starved_in_ns = 0;   // waiting for an input
  std::int64_t gpu_wait_ns = 0;     // waiting for the device: to be done with an input, or with an earlier firing
  std::int64_t dispatch_ns = 0;     // everything ready, no worker yet
  std::int64_t ended_ns = 0;        // before the first and after the last possible firing
  std::int64_t unaccounted_ns = 0;
  Histogram service;  // time of each firing's body
  // On an accelerator; a firing's busy time is its launch then.
  std::int64_t device_firings = 0;  // whose work was seen to be done
  std::int64_t gpu_queue_ns = 0;    // from the begin of the firing to that of its work
  Histogram gpu_span;               // from the begin of a firing's work to its end
  /// The part of busy_ns in which the device still made an input of the firing, where its body went on beyond that: a
  /// body that launches more than the device's queue takes waits there, and no faster body would have been done sooner.
  std::int64_t hidden_launch_ns = 0;
  std::int64_t gpu_lag_ns = 0;  // the most that the device was behind the host within a firing, summed over them
  /// In which a body ran, without what was hidden, or work was under way on the device.
  std::int64_t gpu_in_work_ns = 0;
  std::vector<SpanRecord> spans;
  std::map<std::string, std::int64_t> counters;
  std::vector<EdgeWait> starved_by;  // parts of starved_in_ns
  std::vector<EdgeWait> blocked_by;  // parts of blocked_out_ns
  std::vector<EdgeWait> unmade_by;   // parts of gpu_wait_ns: an input that its producer's device had not made yet; the
                                     // rest was waiting for the stage's own earlier firings

  /// Its bodies and what was due between steps, without what was hidden.
  [[nodiscard]] std::int64_t own_body_ns() const { return busy_ns - hidden_launch_ns; }
  /// Time that the stage itself took: its bodies, its work on the device, and what was due between steps.
  [[nodiscard]] std::int64_t used_ns() const { return device_firings == 0 ? busy_ns : gpu_in_work_ns + between_ns; }
  /// What of that it needs of the wall: a body goes on beside the device's work of the firing before.
  [[nodiscard]] std::int64_t needed_ns() const {
    return device_firings == 0 ? busy_ns : between_ns + std::max(own_body_ns() - between_ns, gpu_span.sum());
  }
  /// Time in which it could have fired and needed not: waiting for others, wherever it waited.
  [[nodiscard]] std::int64_t slack_ns(std::int64_t wall_ns) const {
    return std::max<std::int64_t>(slots * wall_ns - ended_ns - needed_ns() - dispatch_ns, 0);
  }
  /// used_ns over the time in which the stage could have fired, 0 to 1.
  [[nodiscard]] double utilisation(std::int64_t wall_ns) const { return share_of_open(used_ns(), wall_ns); }
  /// The same of needed_ns: how near the stage is to holding up the run.
  [[nodiscard]] double load(std::int64_t wall_ns) const { return share_of_open(needed_ns(), wall_ns); }

 private:
  [[nodiscard]] double share_of_open(std::int64_t ns, std::int64_t wall_ns) const {
    const auto open = static_cast<double>(slots * wall_ns - ended_ns);
    return open <= 0.0 ? 0.0 : std::clamp(static_cast<double>(ns) / open, 0.0, 1.0);
  }
};

struct EdgeRecord {
  std::string name;
  std::size_t from_stage = 0;  // index into RunRecord::stages
  std::size_t to_stage = 0;
  bool is_buffer = false;  // a Buffer stage's content, shown as a row among the edges; both ends are that stage
  std::int64_t capacity_items = 0;
  std::optional<std::int64_t> capacity_bytes;
  std::int64_t items = 0;  // that were sent to it: taken, dropped or abandoned in the end
  std::int64_t bytes = 0;
  double mean_fill = 0.0;  // time-weighted, items
  std::int64_t max_fill = 0;
  std::int64_t full_ns = 0;
  std::int64_t empty_ns = 0;
  std::int64_t swings = 0;  // from empty to full or back, whatever lay between
  Histogram residence;
  std::int64_t drops = 0;
  std::int64_t oversize = 0;
  std::int64_t abandoned = 0;   // nobody took them before the run ended
  std::int64_t untaken_ns = 0;  // time inside of the items that nobody took
};

/// An accelerator, as its reaper saw it.
struct DeviceRecord {
  std::string name;
  std::int64_t firings = 0;            // whose work was done
  std::int64_t busy_ns = 0;            // in which work of at least one firing was under way
  std::int64_t span_ns = 0;            // sum of all firings' spans: above busy_ns where they overlap
  std::int64_t memory_high_bytes = 0;  // most that was allocated at once
  std::int64_t allocations = 0;        // calls that asked the driver for memory
  std::int64_t frees = 0;              // calls that gave memory back to the driver
  std::int64_t maps = 0;               // of memory into reserved addresses
  std::int64_t unmaps = 0;
  std::int64_t host_waits = 0;  // times that a firing's body made the host wait for the device
};

/// How a run ended.
struct Outcome {
  int code = 0;  // of ExitCode
  std::string text = "done";

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct RunRecord {
  Outcome outcome;
  std::int64_t wall_ns = 0;         // first firing to last
  std::vector<StageRecord> stages;  // topological order
  std::vector<EdgeRecord> edges;
  std::vector<LaneRecord> lanes;
  std::vector<DeviceRecord> devices;
  std::vector<std::string> errors;  // first error first
  std::int64_t steps = 0;           // completed in this run
  std::int64_t stamp_cost_ns = 0;   // of one firing's stamps, measured here; 0: not measured
  Timeline timeline;                // the newest of what happened, one by one

  /// True for a Buffer stage.
  [[nodiscard]] bool is_buffer(std::size_t stage) const {
    return std::any_of(edges.begin(), edges.end(),
                       [&](const EdgeRecord& edge) { return edge.is_buffer && edge.to_stage == stage; });
  }
  /// Of all stages.
  [[nodiscard]] std::int64_t firings() const {
    std::int64_t sum = 0;
    for (const StageRecord& stage : stages) {
      sum += stage.firings;
    }
    return sum;
  }
};

}  // namespace dflash
