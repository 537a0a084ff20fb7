// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "framework/checkpoint/checkpoint_store.h"
#include "framework/cli/run_directory.h"
#include "framework/cli/run_plan.h"
#include "framework/runtime/executor.h"

namespace dflash {

/// What is due between the steps of a run: evaluations and checkpoints. `between` and `drained` are the executor's
/// callbacks; calls never overlap, but `last_step` may be read from any thread.
class StepDuties {
 public:
  using Say = std::function<void(const std::string& line)>;

  /// All outlive the duties. `resumed_step`: of the checkpoint the run goes on from, 0 afresh.
  StepDuties(const RunPlan& plan, const RunDirectory& directory, RunLog& log, Say say, std::int64_t resumed_step);

  /// Evaluates if that is due and appends the result to metrics.jsonl. `when`: "start", "step", "end". Throws
  /// Interrupted where the user does not want to wait for it.
  void evaluate_if_due(std::int64_t step, const std::string& when);
  /// False where the user does not want to wait for it: no step may follow then, since a run that goes on from one
  /// would have nothing to compare with.
  [[nodiscard]] bool evaluate_at_start();
  /// An evaluation that fails is rethrown once what was trained has its checkpoint: such an error costs no step. One
  /// that was interrupted leaves the checkpoint without a score.
  void between(std::int64_t step, const SaveCut& save);
  /// Whether `between` will have something to do; metrics up to that step must have been written by then.
  [[nodiscard]] bool are_due(std::int64_t step) const;
  /// The last checkpoint, unless that step has one. Without a score where the evaluation fails, whose error follows.
  void drained(std::int64_t step, const SaveCut& save);

  /// The newest step completed, counting those before a resume.
  [[nodiscard]] std::int64_t last_step() const { return last_step_; }

 private:
  /// What the evaluations before a checkpoint gave.
  struct Judgement {
    std::optional<double> score;
    std::exception_ptr failure;
  };
  Json evaluate(std::int64_t step, const std::string& when);
  void write_checkpoint(std::int64_t step, std::optional<double> score, const SaveCut& save);
  [[nodiscard]] bool is_last(std::int64_t step) const;
  [[nodiscard]] bool checkpoint_is_due(std::int64_t step) const;
  [[nodiscard]] std::optional<double> score_at(std::int64_t step);
  [[nodiscard]] static Judgement judge(const std::function<std::optional<double>()>& evaluations);

  const RunPlan& plan_;
  const RunDirectory& directory_;
  RunLog& log_;
  Say say_;
  CheckpointStore store_;
  std::atomic<std::int64_t> last_step_;
  std::int64_t saved_step_;
};

/// Puts the summaries that a checkpoint carries back into the log.
void restore_summaries(const Checkpoint& checkpoint, RunLog& log);

}  // namespace dflash
