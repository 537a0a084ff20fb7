// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/graph.h"
#include "framework/runtime/lane_plan.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// What a wake-up runs.
class Runnable {
 public:
  virtual void run() noexcept = 0;

 protected:
  ~Runnable() = default;
};

/// The threads of a run and the wake-ups that travel to them.
class Lanes {
 public:
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  virtual ~Lanes() = default;

  /// What `post` of this position runs: of a vertex, or of a slot. For all of them, before the first `post`.
  void attach(std::size_t position, Runnable& runnable) { runnables_[position] = &runnable; }
  /// After the last `attach`, before the first `post`: what this thread has built is visible to the workers.
  virtual void publish() = 0;
  /// Schedules one run on the position's lane. From any thread.
  virtual void post(std::size_t position) = 0;
  /// Blocks until nothing is scheduled, running or held; the calling thread helps.
  virtual void wait() = 0;
  /// Work goes on elsewhere that will post again: `wait` does not return before `release`, the last thing that is done
  /// for it. From any thread.
  virtual void hold() = 0;
  virtual void release() = 0;

  /// The position of the first of a vertex's slots, where it has several.
  [[nodiscard]] std::size_t first_slot(std::size_t position) const { return plan_.first_slot[position]; }
  /// How many firings a stage may do in a row before it must let others on its lane go first.
  [[nodiscard]] virtual int burst(std::size_t position) const = 0;
  [[nodiscard]] const std::string& lane_name(std::size_t position) const {
    return plan_.lanes[plan_.lane_of[position]].name;
  }
  [[nodiscard]] std::vector<LaneRecord> records() const;

 protected:
  explicit Lanes(LanePlan plan) : plan_{std::move(plan)}, runnables_(plan_.lane_of.size()) {}

  LanePlan plan_;
  std::vector<Runnable*> runnables_;
};

/// What each thread does before its first wake-up. What `started` throws goes to `failed`, within the handler.
struct WorkerHooks {
  std::function<void()> started;
  std::function<void()> failed;
};

/// Each lane is an arena with one worker per stage and slot in it, so that stages which sleep or wait overlap; a stage
/// that shares its producer's lane lives with it on one worker.
[[nodiscard]] std::unique_ptr<Lanes> make_tbb_lanes(LanePlan plan, WorkerHooks hooks);

/// All lanes on the one thread that waits; which of the scheduled runs comes next is drawn by the seed. So a run
/// repeats in every detail, and tests can look at many orders.
[[nodiscard]] std::unique_ptr<Lanes> make_single_worker(LanePlan plan, WorkerHooks hooks, std::uint64_t seed);

}  // namespace dflash
