// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "framework/analysis/pipeline_model.h"
#include "framework/analysis/replay_edge.h"
#include "framework/core/run_ahead.h"
#include "framework/telemetry/enabler.h"
#include "framework/telemetry/run_record.h"
#include "framework/telemetry/span_union.h"

namespace dflash {

struct ReplaySlot {
  bool is_busy = false;
  std::int64_t free_since = 0;
  std::int64_t queued = 0;  // on the device
  std::int64_t room_since = 0;
  std::int64_t stream_free_at = 0;  // the device will have done all that is queued
  SpanUnion in_work;                // on the host or on the device

  [[nodiscard]] bool may_fire() const { return !is_busy && queued < kQueuedASlot; }
};

/// A firing from the taking of its inputs to the sending of its outputs.
struct ReplayTicket {
  enum class What { kFire, kPop };
  What what = What::kFire;
  const FiringWork* work = nullptr;
  std::int64_t number = 0;
  std::size_t place = kNoFiring;  // among the stage's firings in the replay
  MadeBy popped;                  // by a buffer
  bool has_fired = false;
};

struct BufferedItem {
  MadeBy made;
  std::int64_t put = 0;  // the firing
  std::int64_t since = 0;
};

/// A stage while a run is replayed, and the account of its time.
class ReplayStage {
 public:
  static constexpr std::int64_t kNotYet = std::numeric_limits<std::int64_t>::max();

  ReplayStage(const ModelStage& stage, const ModelBuffer* held_by);

  /// The next firing's work; null: a source has none left. A stage that gets more items than recorded repeats.
  [[nodiscard]] const FiringWork* next_work() const;
  [[nodiscard]] const FiringWork* next_pop() const { return work_at(model->pops, pops_begun); }
  /// The next firing had begun when the replay began: it waits for nothing.
  [[nodiscard]] bool is_under_way() const {
    return fires_begun < model->firings.size() && !model->firings[fires_begun].has_inputs && !model->inputs.empty();
  }
  [[nodiscard]] bool is_pop_under_way() const {
    return pops_begun < model->pops.size() && !model->pops[pops_begun].has_inputs;
  }
  [[nodiscard]] std::size_t most_tickets() const;
  [[nodiscard]] bool is_quiet() const { return std::ranges::none_of(slots, &ReplaySlot::is_busy); }
  [[nodiscard]] bool is_holding() const;
  [[nodiscard]] std::int64_t scaled(std::int64_t ns) const;
  /// What the engine takes until a firing of the slot begins whose last cause was complete at `ready`.
  [[nodiscard]] std::int64_t dispatch_of(const FiringWork& work, const ReplaySlot& slot, std::int64_t ready) const;

  /// A slot begins to work: the time since it became free was waiting for `last`, the rest for a worker.
  [[nodiscard]] FiringEvent begin_busy(ReplaySlot& slot, const Enabler& last, std::int64_t begin);
  /// The firing's ticket, which may be sent now.
  const ReplayTicket& end_busy(const FiringEvent& firing);
  /// A buffer gives its oldest item to the ticket.
  void begin_pop(ReplayTicket& ticket, bool is_under_way, std::int64_t now);
  /// The device will do the firing's work once it has `made` its inputs and done what is queued before.
  [[nodiscard]] DeviceEvent queue_on_device(ReplaySlot& slot, const ReplayTicket& ticket, const FiringEvent& firing,
                                            std::int64_t made);
  void note_device(const DeviceEvent& firing, std::int64_t now);
  /// Closes the account; what is still in the buffer is given up.
  void finish(std::int64_t wall_ns);

  const ModelStage* model;
  const ModelBuffer* buffer;
  std::vector<ReplaySlot> slots;
  std::deque<ReplayTicket> tickets;          // in order of their numbers
  std::vector<std::deque<ReplayItem>> held;  // by output: emitted, but without room yet
  std::deque<BufferedItem> content;          // of a buffer
  std::vector<std::int64_t> made_at;         // by place of the firing: when the device has done it,
  std::vector<std::int64_t> seen_at;         // and the host has seen that
  std::size_t fires_begun = 0;
  std::size_t pops_begun = 0;
  std::int64_t numbers = 0;
  Enabler flushed;           // the last room that held items waited for
  bool is_starting = false;  // a begin is due later, or waits for a worker
  bool is_draining = false;
  bool has_ended = false;

  StageRecord record;
  StageTimeline timeline;
  std::vector<ItemEvent> buffer_events;

 private:
  [[nodiscard]] static const FiringWork* work_at(const std::vector<FiringWork>& works, std::size_t place);
};

}  // namespace dflash
