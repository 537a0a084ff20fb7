// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/graph.h"
#include "framework/runtime/edge_queue.h"
#include "framework/runtime/firing_slot.h"
#include "framework/runtime/lanes.h"
#include "framework/runtime/origin.h"
#include "framework/runtime/planted_faults.h"
#include "framework/runtime/run_state.h"
#include "framework/runtime/slot_account.h"
#include "framework/runtime/wake_state.h"

namespace dflash {

/// Runs one stage: woken by its neighbours, it works as long as there is something to do, and gives up when there is
/// not. Life of a stage here: work (fire, or put and pop), then drain once all inputs have ended, then flush, then
/// ended. What an edge has no credit for stays with its output link and blocks the stage.
class StageDriver : public Runnable {
 public:
  StageDriver(const Graph::Vertex& vertex, RunState& run);
  StageDriver(const StageDriver&) = delete;
  StageDriver& operator=(const StageDriver&) = delete;
  virtual ~StageDriver() = default;

  /// Wiring, before the run. `index` is the edge's position in the record.
  void add_input(EdgeQueue& edge, std::size_t index, StageDriver& producer);
  void add_output(EdgeQueue& edge, std::size_t index, const OutputPort& port, StageDriver& consumer);
  void place(Lanes& lanes, std::size_t position);
  /// The stage lies behind the step stage: it goes on to its end when the steps are done.
  void set_after_steps() { is_after_steps_ = true; }
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
  [[nodiscard]] std::int64_t live_busy(std::int64_t now) const { return account_.live_busy(now); }

  // Once nothing runs any more:
  /// First of all, so that this thread sees what the workers did.
  void settle() const { wake_state_.settle(); }
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// What the stage waits for, in words: "an item on edge 'a.out->b.in'".
  [[nodiscard]] std::string waits_for();
  virtual void finish(std::int64_t now, std::vector<EdgeRecord>& edges);
  [[nodiscard]] StageRecord record(std::int64_t wall_ns) const;

 protected:
  struct InputLink {
    EdgeQueue* edge;
    std::size_t index;
    StageDriver* producer;
  };
  struct OutputLink {
    EdgeQueue* edge;
    std::size_t index;
    StageDriver* consumer;
    std::vector<Item> held;  // emitted, but without credit yet
  };

  /// One unit of work, with the outputs flushed and the stage not drained. False: nothing can be done until somebody
  /// wakes us.
  [[nodiscard]] virtual bool work() = 0;
  /// The first thing that keeps the stage from working.
  [[nodiscard]] virtual Enabler missing() = 0;

  /// Whether all outputs have credit; `last` takes note of the latest.
  [[nodiscard]] bool has_credit(Enabler& last);
  /// Takes the front item of an input and wakes its producer where that had no credit.
  [[nodiscard]] Item take(std::size_t input, std::int64_t now);
  /// Sends off what the firing emitted.
  void commit(std::int64_t now);
  /// Runs the stage's drain as the last thing it does. Always true: flushing follows.
  bool drain(const Enabler& last);
  [[nodiscard]] bool may_start_sources() const { return run_->phase() == RunState::Phase::kRunning; }

  const Graph::Vertex* vertex_;
  RunState* run_;
  OriginTracker origins_;
  FiringSlot slot_;
  SlotAccount account_;
  std::optional<PlantedFaults> planted_;
  std::vector<InputLink> inputs_;
  std::vector<OutputLink> outputs_;
  std::int64_t firings_ = 0;       // number of the last one; goes on after a resume
  std::int64_t firings_here_ = 0;  // in this run
  Enabler flushed_;                // the last credit that held items waited for

 private:
  [[nodiscard]] bool advance();
  [[nodiscard]] bool flush();
  void send(OutputLink& link, Item item, std::int64_t now);
  void end_outputs();
  void halt();

  WakeState wake_state_;
  Lanes* lanes_ = nullptr;
  std::size_t position_ = 0;
  int burst_ = 1;
  bool is_after_steps_ = false;
  bool is_holding_ = false;
  bool is_drained_ = false;
  bool has_ended_ = false;
  std::vector<std::vector<std::size_t>> links_of_port_;
  std::vector<std::int64_t> first_delivered_;  // after a resume: what is below has been delivered before
};

/// The driver that suits the stage.
[[nodiscard]] std::unique_ptr<StageDriver> make_driver(const Graph::Vertex& vertex, RunState& run);

}  // namespace dflash
