// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/graph.h"
#include "framework/runtime/device_slot.h"
#include "framework/runtime/edge_queue.h"
#include "framework/runtime/firing_body.h"
#include "framework/runtime/firing_slot.h"
#include "framework/runtime/lanes.h"
#include "framework/runtime/origin.h"
#include "framework/runtime/outbox.h"
#include "framework/runtime/run_state.h"
#include "framework/runtime/slot_account.h"
#include "framework/runtime/wake_state.h"
#include "framework/telemetry/live_view.h"

namespace dflash {

/// Runs one stage: woken by its neighbours, it works as long as there is something to do, and gives up when there is
/// not. Life of a stage here: work (fire, or put and pop), then drain once all inputs have ended, then flush, then
/// ended.
class StageDriver : public Runnable {
 public:
  /// `device`: what the stage works on; null: the host. `slots`: how many firings may be under way at once.
  StageDriver(const Graph::Vertex& vertex, RunState& run, RunDevices::Device* device, std::size_t slots = 1);
  StageDriver(const StageDriver&) = delete;
  StageDriver& operator=(const StageDriver&) = delete;
  virtual ~StageDriver() = default;

  /// Wiring, before the run. `index` is the edge's position in the record.
  void add_input(EdgeQueue& edge, std::size_t index, StageDriver& producer, bool is_feedback);
  void add_output(EdgeQueue& edge, std::size_t index, const OutputPort& port, StageDriver& consumer);
  virtual void place(Lanes& lanes, std::size_t position);
  /// The stage lies behind the step stage, or outlives it: it goes on to its end when the steps are done.
  void set_after_steps() { is_after_steps_ = true; }
  [[nodiscard]] bool is_after_steps() const { return is_after_steps_; }
  /// The stage drives the steps or lies behind: what it sends is work behind the step stage.
  [[nodiscard]] bool feeds_behind() const { return is_after_steps_ || vertex_->info.drives_steps; }
  /// Takes up numbers where a cut left them.
  void resume(const StagePosition& position);
  virtual void start(std::int64_t now);

  void wake() {
    if (wake_state_.notify()) {
      lanes_->post(position_);
    }
  }
  void run() noexcept final;

  [[nodiscard]] const Graph::Vertex& vertex() const { return *vertex_; }
  [[nodiscard]] Stage& stage() const { return *vertex_->stage; }
  [[nodiscard]] OriginTracker& origins() { return origins_; }
  /// From any thread while the stage fires: what it has done so far, without what it lacks for want of items or room.
  [[nodiscard]] LiveStage live(std::int64_t now) const;

  // Once nothing runs any more:
  /// First of all, so that this thread sees what the workers did.
  void settle() const { wake_state_.settle(); }
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// What the stage waits for, in words: "an item on edge 'a.out->b.in'".
  [[nodiscard]] std::string waits_for();
  /// The stage that would have to give it; null where there is none.
  [[nodiscard]] StageDriver* waits_on();
  virtual void finish(std::int64_t now, std::vector<EdgeRecord>& edges);
  [[nodiscard]] virtual StageRecord record(std::int64_t wall_ns) const;
  /// The newest firings, by the steady clock.
  [[nodiscard]] virtual StageTimeline timeline() const;

 protected:
  struct InputLink {
    EdgeQueue* edge = nullptr;
    std::size_t index = 0;
    StageDriver* producer = nullptr;
    bool is_feedback = false;
  };
  /// One unit of work, with the outputs flushed and the stage not drained. False: nothing can be done until somebody
  /// wakes us.
  [[nodiscard]] virtual bool work() = 0;
  /// No firing is under way on another thread.
  [[nodiscard]] virtual bool is_quiet() { return true; }
  /// The first thing that keeps the stage from working.
  [[nodiscard]] virtual Enabler missing() = 0;

  /// The front item of an input for the firing of that number, with its place on the edge; wakes its producer where
  /// that had no credit.
  [[nodiscard]] Item pop(std::size_t input, std::int64_t firing, std::int64_t now);
  /// The same for a firing: the place is kept until the device has done with the item.
  [[nodiscard]] Item pop_for(DeviceSlot* device, std::size_t input, std::int64_t firing, std::int64_t now);
  /// Sends off what a firing emitted.
  void commit(std::vector<StagedItem>& staged, std::int64_t now);
  /// Items of this input are done with: the firing that took one has ended and what it emitted was sent, or they are
  /// lost.
  void worked_off(std::size_t input, std::int64_t items) {
    if (items > 0 && is_after_steps_ && inputs_[input].producer->feeds_behind()) {
      run_->remove_behind(items);
    }
  }
  /// Runs the stage's drain as the last thing it does. Always true: flushing follows.
  bool drain(const Enabler& last);
  /// Null on the host.
  [[nodiscard]] DeviceSlot* device_slot() { return device_slots_.empty() ? nullptr : &device_slots_.front(); }
  [[nodiscard]] bool may_start_sources() const { return run_->phase() == RunState::Phase::kRunning; }

  const Graph::Vertex* vertex_;
  RunState* run_;
  OriginTracker origins_;
  FiringSlot slot_;
  std::deque<DeviceSlot> device_slots_;  // one a slot, or none
  std::deque<SlotAccount> accounts_;     // one a slot
  SlotAccount& account_;                 // the first one
  FiringBody body_;
  Lanes* lanes_ = nullptr;
  std::vector<InputLink> inputs_;
  Outbox outbox_;
  std::int64_t firings_ = 0;       // number of the last one that was sent off; goes on after a resume
  std::int64_t firings_here_ = 0;  // in this run
  Enabler flushed_;                // the last credit that held items waited for

 private:
  /// Works until nothing can be done. False: the burst is over before, and the runner that goes on is scheduled.
  [[nodiscard]] bool work_off(int& left);
  [[nodiscard]] bool advance();
  void end_outputs();
  void halt();
  /// What is due between steps, once the run has settled. False: not yet.
  [[nodiscard]] bool complete_due_step();

  WakeState wake_state_;
  std::size_t position_ = 0;
  int burst_ = 1;
  bool is_after_steps_ = false;
  bool is_drained_ = false;
  bool has_ended_ = false;
};

}  // namespace dflash
