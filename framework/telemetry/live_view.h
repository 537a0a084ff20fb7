// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dflash {

/// What a run that goes on looks like at one moment: plain data, taken from any thread. All times in nanoseconds.

/// What a slot that does not fire lacks, as seen from outside; it is charged by what has come once it fires.
enum class Lack { kNothing, kInput, kRoom, kDevice, kWorker };

[[nodiscard]] const char* lack_name(Lack lack);

struct LiveStage {
  std::string name;
  std::string type;
  std::int64_t slots = 1;
  std::int64_t firings = 0;     // that have ended
  std::int64_t busy_ns = 0;     // with that of the firings under way
  std::int64_t blocked_ns = 0;  // these four as StageRecord has them, of waits that are over
  std::int64_t starved_ns = 0;
  std::int64_t gpu_wait_ns = 0;
  std::int64_t dispatch_ns = 0;
  std::int64_t firing_slots = 0;   // with a firing under way
  std::int64_t longest_ns = 0;     // for how long the longest of those has been
  std::int64_t waiting_slots = 0;  // neither firing nor ended
  std::int64_t waiting_ns = 0;     // for how long those have been waiting, added up
  Lack lacks = Lack::kNothing;     // what the waiting ones lack
};

struct LiveEdge {
  std::string name;
  std::size_t from_stage = 0;  // index into LiveView::stages
  std::size_t to_stage = 0;
  bool is_buffer = false;  // a Buffer stage's content; both ends are that stage
  std::int64_t capacity_items = 0;
  std::int64_t items = 0;  // sent to it so far
  std::int64_t fill = 0;
  std::int64_t drops = 0;
  bool is_full = false;  // in items or bytes, so that its stage waits: one that drops never is
};

struct LiveDevice {
  std::string name;
  std::int64_t firings = 0;  // whose work was done
  std::int64_t busy_ns = 0;  // in which work of at least one firing was under way
  std::int64_t memory_bytes = 0;
  std::int64_t memory_high_bytes = 0;
  std::int64_t allocations = 0;  // calls that asked the driver for memory
  std::int64_t host_waits = 0;
};

struct LiveView {
  bool is_under_way = false;      // stages may fire
  std::int64_t wall_ns = 0;       // since the run began to fire
  std::int64_t steps = 0;         // completed in this run
  std::vector<LiveStage> stages;  // topological order; none before the first firing and where nothing is measured
  std::vector<LiveEdge> edges;    // the graph's order, then a row for each buffer
  std::vector<LiveDevice> devices;
};

/// "starting" until the first firing, "running", "finishing" behind the last.
[[nodiscard]] const char* phase_name(const LiveView& view);

/// Fills in `lacks` from the fill of the edges; what lacks a device is known already.
void find_lacks(LiveView& view);

/// Keeps busy times from falling: that of a firing which has ended, but has not said so yet, was counted a little too
/// far by the look before.
void keep_rising(const LiveView& before, LiveView& after);

struct BusiestStage {
  std::string name;    // empty: there is none
  double share = 0.0;  // busy time of its slots over wall
};

/// Between two looks at one run.
[[nodiscard]] BusiestStage busiest_stage(const LiveView& before, const LiveView& after);

}  // namespace dflash
