// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/graph.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// What a wake-up runs.
class Runnable {
 public:
  virtual void run() noexcept = 0;

 protected:
  ~Runnable() = default;
};

/// The threads of a run and the wake-ups that travel to them. Each lane is an arena with one worker per stage in it, so
/// that stages which sleep or wait overlap; a stage that shares its producer's lane lives with it on one worker. The
/// only file that names oneTBB is lanes.cpp.
class Lanes {
 public:
  /// `order` gives the positions in topological order. `worker_started` runs on each thread before its first wake-up;
  /// what it throws goes to `failed`, within the handler.
  Lanes(const Graph& graph, const std::vector<std::size_t>& order, std::function<void()> worker_started,
        std::function<void()> failed);
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  ~Lanes();

  /// What `post` of the vertex at this position runs. For all vertices, before the first `post`.
  void attach(std::size_t position, Runnable& runnable);
  /// After the last `attach`, before the first `post`: what this thread has built is visible to the workers.
  void publish();
  /// Schedules one run on the vertex's lane. From any thread.
  void post(std::size_t position);
  /// Blocks until nothing is scheduled or running; the calling thread helps.
  void wait();

  /// How many firings a stage may do in a row before it must let others on its lane go first.
  [[nodiscard]] int burst(std::size_t position) const;
  [[nodiscard]] const std::string& lane_name(std::size_t position) const;
  [[nodiscard]] std::vector<LaneRecord> records() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dflash
