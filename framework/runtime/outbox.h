// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/core/graph.h"
#include "framework/runtime/edge_queue.h"
#include "framework/runtime/origin.h"
#include "framework/runtime/run_state.h"
#include "framework/runtime/slot_account.h"

namespace dflash {

class StageDriver;

/// What a stage has emitted, on its way to its output edges. What an edge has no credit for is held here, and blocks
/// the stage. Used by the stage's runner only.
class Outbox {
 public:
  Outbox(const StageDriver& producer, RunState& run, std::size_t ports)
      : producer_{&producer}, run_{&run}, links_of_port_(ports), first_delivered_(ports) {}

  /// Wiring, before the run. `index` is the edge's position in the record.
  void add(EdgeQueue& edge, std::size_t index, const OutputPort& port, StageDriver& consumer);
  /// After a resume: what is below these sequence numbers has been delivered before.
  void set_delivered(std::vector<std::int64_t> first) { first_delivered_ = std::move(first); }

  [[nodiscard]] std::size_t size() const { return links_.size(); }
  [[nodiscard]] EdgeQueue& edge(std::size_t position) const { return *links_[position].edge; }
  [[nodiscard]] std::size_t index(std::size_t position) const { return links_[position].index; }
  [[nodiscard]] StageDriver& consumer(std::size_t position) const { return *links_[position].consumer; }

  /// Whether all edges have credit; `last` takes note of the latest.
  [[nodiscard]] bool has_credit(Enabler& last);
  [[nodiscard]] bool is_holding() const { return is_holding_; }
  /// Sends what is held as far as there is credit; `last` takes note of that. True: all of it.
  [[nodiscard]] bool flush(Enabler& last);
  /// The same for the edges that lead behind the step stage: those who outlive the steps get what was emitted before.
  [[nodiscard]] bool flush_behind_steps(Enabler& last);
  /// To each edge of the item's port. Throws where an edge's rule calls being full an error.
  void send(StagedItem& staged, std::int64_t now);
  /// Nothing will follow.
  void end(std::int64_t now);
  /// The same for the edges that lead behind the step stage.
  void end_behind_steps(std::int64_t now);

  /// The first edge that something is held for, or has no credit.
  [[nodiscard]] std::optional<std::size_t> first_held() const;
  [[nodiscard]] std::optional<std::size_t> first_without_credit();
  /// Once nothing runs any more: counts what is held as abandoned.
  void abandon(std::vector<EdgeRecord>& edges) const;

 private:
  struct Link {
    EdgeQueue* edge;
    std::size_t index;
    StageDriver* consumer;
    std::vector<Item> held;  // emitted, but without credit yet
  };

  [[nodiscard]] bool flush(std::size_t position, std::int64_t now, Enabler& last);
  void send(Link& link, Item item, std::int64_t now);
  /// Onto the edge, with all that follows from it; moves from the item only where it is accepted.
  EdgeQueue::Pushed push(Link& link, Item& item, std::int64_t now);
  /// What this link carries is work behind the step stage.
  [[nodiscard]] bool goes_behind(const Link& link) const;
  static void end(Link& link, std::int64_t now);

  const StageDriver* producer_;
  RunState* run_;
  std::vector<Link> links_;
  std::vector<std::vector<std::size_t>> links_of_port_;
  std::vector<std::int64_t> first_delivered_;
  bool is_holding_ = false;
};

}  // namespace dflash
