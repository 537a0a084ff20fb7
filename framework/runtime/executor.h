// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/graph.h"
#include "framework/core/json.h"
#include "framework/telemetry/live_view.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// Writes a consistent cut of the whole run, as of the optimiser step just completed, into a folder that exists.
using SaveCut = std::function<void(const std::filesystem::path& folder)>;

struct RunOptions {
  std::string device = "cpu";  // of stages whose placement names none
  std::uint64_t seed = 0;
  std::int64_t steps = 0;  // 0: until the sources end
  std::filesystem::path run_dir;
  const Resources* resources = nullptr;
  RunLog* log = nullptr;
  /// `find_stall` reports a firing that lasts longer, and a source that takes longer to return once the run was asked
  /// to stop. 0: it does not. Needs `instrument`.
  std::chrono::nanoseconds stall_timeout{0};
  std::chrono::nanoseconds stop_timeout{0};
  /// Given: one worker runs all stages, in an order that this seed draws; else oneTBB's workers run them.
  std::optional<std::uint64_t> order_seed{};
  bool marks_ranges = false;  // firings and their parts are named to a profiler (see ProfilerRange)
  bool instrument = true;     // off: no stamps; for the bench that shows what they cost
  /// On each worker thread before its first firing.
  std::function<void()> worker_started;
  /// After all stages have opened (and loaded), before the first firing: the run directory is made here.
  std::function<void()> opened;
  /// After the firing that completed `step` or at its end, on a worker of that stage, before its next firing.
  std::function<void(std::int64_t step, Firing& firing, const SaveCut& save)> between_steps;
  /// Whether something is due at `step` that must not be ahead of what lies behind the step stage: then `between_steps`
  /// is called once all that the step has emitted has been worked off (metrics written, say). Null: never.
  std::function<bool(std::int64_t step)> settles_at;
  /// After the last firing, before the stages close, where the run ended without an error (done or interrupted) and has
  /// completed a step: `save` writes the cut as of the last completed step, leaving out what a stage took since. On the
  /// thread of `run`.
  std::function<void(std::int64_t step, const SaveCut& save)> drained;
  /// A cut to go on from; empty: afresh.
  std::filesystem::path resume_from;
  std::int64_t resumed_step = 0;  // of that cut; where it is `steps` already, nothing fires
  bool checked = false;           // the stages have been checked, in the words of the file that the graph comes from
};

/// Runs a graph once: opens the stages, carries items over bounded edges with one oneTBB wake-up node a stage, drains,
/// closes. No exception reaches oneTBB. The first error ends the run; `run` returns the record in every ending and
/// rethrows nothing: `RunRecord::outcome` and `errors` say what happened. What the stages' checks find is thrown as one
/// UserError before any opens. An error in `open` or `load` is thrown as
/// StageError before any firing, after the stages already open have been closed.
class Executor {
 public:
  Executor(Graph& graph, RunOptions options);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();

  /// Blocks until the run has ended. Once per executor.
  RunRecord run();
  /// From any thread: sources fire no more, what is in flight drains into its consumers, `run` returns with code 130.
  void request_stop();
  /// From any thread: nothing fires any more once what is firing has returned; `run` returns with code 130, without a
  /// last cut.
  void request_stop_at_once();
  /// From any thread, at any time: the run at this moment; as it was last once it has ended. Takes no lock that a
  /// firing waits for, but each edge's for as long as reading a few numbers takes.
  [[nodiscard]] LiveView live_view();
  /// The same: what to end the process with where a stage's body does not return (see RunOptions::stall_timeout).
  [[nodiscard]] std::optional<Outcome> find_stall();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dflash
