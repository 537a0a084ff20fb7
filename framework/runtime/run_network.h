// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/graph.h"
#include "framework/runtime/cut_file.h"
#include "framework/runtime/edge_queue.h"
#include "framework/runtime/run_devices.h"
#include "framework/runtime/run_state.h"
#include "framework/runtime/stage_driver.h"

namespace dflash {

/// The drivers and edge queues of one run, wired as the graph says.
class RunNetwork {
 public:
  RunNetwork(const Graph& graph, const std::vector<std::size_t>& order, RunState& run, RunDevices& devices);

  /// Once the stages are open and loaded: origins, numbers and clocks start.
  void start(const Cut& cut);
  void place(Lanes& lanes);
  /// Consumers first, so that what is ready moves towards the sinks.
  void wake_all();

  /// Null where no stage drives steps.
  [[nodiscard]] StageDriver* step_driver() { return step_driver_; }
  [[nodiscard]] const std::vector<std::unique_ptr<StageDriver>>& drivers() const { return drivers_; }
  [[nodiscard]] std::int64_t started_at() const { return started_at_; }

  /// From any thread: which edges are full or empty at this moment.
  [[nodiscard]] std::string fill_text();

  // Once nothing runs any more:
  /// First of all, so that this thread sees what the workers did.
  void settle() const;
  [[nodiscard]] bool has_ended() const;
  /// Why nothing goes on: the stages that wait for each other in a circle, then each stage that has not ended and what
  /// it waits for.
  [[nodiscard]] std::string deadlock_text() const;
  /// Stages in topological order, edges in the graph's order, then a row for each buffer.
  void write(RunRecord& record, const Lanes& lanes);
  /// Stages and edges in the same order, by the steady clock.
  void write(Timeline& timeline, const Lanes& lanes, std::int64_t now);

 private:
  [[nodiscard]] std::string waiting_stages() const;
  /// By position: the place in topological order.
  [[nodiscard]] std::vector<std::size_t> ranks() const;
  [[nodiscard]] std::vector<StageDriver*> waiting_circle() const;
  void wire(const Graph& graph);
  void find_steps(const Graph& graph);
  [[nodiscard]] std::size_t position_of(const Stage& stage) const;
  void start_origins(const Cut& cut);

  const Graph* graph_;
  std::vector<std::size_t> order_;
  RunState* run_;
  std::vector<std::unique_ptr<StageDriver>> drivers_;  // by position of the vertex
  std::deque<EdgeQueue> edges_;
  std::vector<bool> leads_to_steps_;
  StageDriver* step_driver_ = nullptr;
  std::int64_t started_at_ = 0;
};

}  // namespace dflash
