// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// A recorded run as work that can be done again under other conditions: what each firing took, how many items it gave
/// to each edge, and the rules by which the engine lets firings begin. What a replay does with it stands in
/// pipeline_replay.h; a what-if changes speeds, slots and capacities here.

/// One firing, whenever it may come in a replay.
struct FiringWork {
  std::int64_t host_ns = 0;     // of the body, without what it waited in its launch for inputs
  std::int64_t between_ns = 0;  // after the body, whatever the stage's speed: see FiringEvent::between
  std::int64_t device_ns = 0;
  std::int64_t seen_after_ns = 0;  // from the end on the device until the host has seen it
  std::int64_t lag_ns = 0;         // the most that the device was behind the host
  bool is_on_device = false;
  bool has_inputs = false;            // false: it took them before the replay begins, and may go on at once
  std::int64_t step = 0;              // that it completes; 0: none
  std::int64_t dispatch_ns = -1;      // from all that it waited for, or its slot, to its begin; below 0: not known
  bool has_waited = false;            // for anything but its slot
  std::vector<std::int64_t> emitted;  // items, by position among the stage's outputs
};

inline constexpr std::size_t kNoFiring = std::numeric_limits<std::size_t>::max();

struct ModelStage {
  std::string name;
  std::string lane;
  std::string device;  // empty: the host
  std::int64_t slots = 1;
  double speed = 1.0;                // how many times as fast as recorded, on the host and on the device
  std::vector<std::size_t> inputs;   // edges
  std::vector<std::size_t> outputs;  // edges
  std::vector<FiringWork> firings;   // in order of their numbers; of a buffer: its puts
  std::vector<FiringWork> pops;      // of a buffer
  FiringWork drain;
  bool ends = false;             // a source: its stream ends after the last of `firings`
  bool waits_in_firing = false;  // for the device that makes its inputs; else a stage on the host waits before
  bool is_after_steps = false;   // lies behind the step stage, so it goes on to its end when the steps are done
  std::int64_t wake_ns = 0;      // dispatch of a firing that has waited, where its own is not known
  std::int64_t turn_ns = 0;      // of one that has not
};

struct ModelEdge {
  std::string name;
  std::size_t from = 0;  // stage
  std::size_t to = 0;
  std::int64_t capacity_items = 0;
  bool blocks = true;
  bool is_feedback = false;
  std::int64_t items = 0;          // that it carried
  std::int64_t largest_bytes = 0;  // of one item
  /// What is inside when the replay begins: places of the makers among their stage's firings, or kNoFiring.
  std::vector<std::size_t> inside;
};

struct ModelBuffer {
  std::size_t stage = 0;
  std::int64_t capacity_items = 0;
  std::int64_t min_ready = 1;
  std::int64_t items = 0;
  std::int64_t largest_bytes = 0;
  std::int64_t inside = 0;  // items, when the replay begins
};

struct PipelineModel {
  std::int64_t begins_at_ns = 0;  // in the recorded run; before that some log is lost
  std::int64_t wall_ns = 0;       // recorded, from there on
  std::vector<ModelStage> stages;
  std::vector<ModelEdge> edges;
  std::vector<ModelBuffer> buffers;
  std::vector<LaneRecord> lanes;
  std::optional<std::size_t> step_stage;
  std::int64_t last_step = 0;  // where the run ends once it is done; 0: it ends when all streams have

  [[nodiscard]] const ModelBuffer* buffer_of(std::size_t stage) const;
  /// Workers for which the lane's stages compete; 0: each firing finds one.
  [[nodiscard]] std::int64_t scarce_workers(const std::string& lane) const;
};

/// What a recorded run was. Where logs have lost their beginning, the model begins where all of them go on, with what
/// is under way and inside edges at that moment.
[[nodiscard]] PipelineModel model_of(const Timeline& timeline);

}  // namespace dflash
