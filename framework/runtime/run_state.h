// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "framework/runtime/executor.h"
#include "framework/telemetry/recent.h"
#include "framework/telemetry/steady_clock.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// What all stages of a run share: its phase, its errors, its steps. Safe from any thread.
class RunState {
 public:
  enum class Phase {
    kRunning,
    kStopping,   // sources fire no more; what is in flight goes on up to the next step
    kFinishing,  // only what lies behind the step stage goes on, to its end
    kAborted,    // nothing fires any more
  };

  explicit RunState(const RunOptions& options) : options_{&options}, last_step_{options.resumed_step} {}

  /// Called once the phase has changed so that stages must look again.
  void on_finishing(std::function<void()> wake_all) { wake_all_ = std::move(wake_all); }

  [[nodiscard]] Phase phase() const { return phase_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_stopping() const { return phase() != Phase::kRunning; }

  /// Nanoseconds of the steady clock, or 0 where the run is not measured.
  [[nodiscard]] std::int64_t now() const { return options_->instrument ? steady_now_ns() : 0; }
  [[nodiscard]] bool instrument() const { return options_->instrument; }
  [[nodiscard]] bool marks_ranges() const { return options_->marks_ranges; }
  /// When the run left the running phase; 0: it did not.
  [[nodiscard]] std::int64_t left_running_at() const { return left_running_at_.load(std::memory_order_relaxed); }

  /// Takes no lock, so that a signal handler may call it.
  void request_stop();
  /// Ends the run as an error would.
  void request_stop_at_once();
  [[nodiscard]] bool was_stopped_at_once() const { return stopped_at_once_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool was_stopped_by_request() const { return stopped_by_request_.load(std::memory_order_relaxed); }
  /// Ends everything but what lies behind the step stage.
  void finish();
  /// Keeps the exception that is being handled and ends the run.
  void fail_with_current_exception(const std::string& stage, const std::string& doing, std::int64_t firing);
  void fail(const StageError& error);

  /// Work behind the step stage: an item sent there, an item worked off. The last to be worked off wakes who waits for
  /// that.
  void add_behind(std::int64_t items) { behind_.fetch_add(items); }
  void remove_behind(std::int64_t items);
  /// True: all of it is worked off, and seen. False: the waker given to `on_settled` will be called.
  [[nodiscard]] bool try_settle();
  void on_settled(std::function<void()> waker) { settled_ = std::move(waker); }
  /// Nothing runs any more. True where somebody waits: what lies behind the step stage has come as far as it can (it
  /// may want another input), so nobody waits for that in this run any more.
  [[nodiscard]] bool give_up_settling();
  [[nodiscard]] bool settles_at(std::int64_t step) const {
    return options_->settles_at && !never_settles_ && options_->settles_at(step);
  }

  void complete_step(std::int64_t step, Firing& firing, const SaveCut& save);
  [[nodiscard]] bool is_between_steps() const { return is_between_steps_.load(std::memory_order_acquire); }
  [[nodiscard]] std::int64_t between_steps_ended_at() const {
    return between_steps_ended_at_.load(std::memory_order_relaxed);
  }
  /// Once nothing runs any more: the newest steps.
  [[nodiscard]] const Recent<StepEvent>& step_events() const { return step_events_; }
  [[nodiscard]] std::int64_t steps() const { return steps_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t last_step() const { return last_step_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool reached_steps() const { return options_->steps > 0 && last_step() >= options_->steps; }

  struct Failure {
    std::string message;
    bool caused_by_user = false;
  };
  /// First failure first.
  [[nodiscard]] std::vector<Failure> failures() const;

 private:
  bool leave_for(Phase phase);

  const RunOptions* options_;
  std::function<void()> wake_all_;
  std::function<void()> settled_;
  std::atomic<std::int64_t> behind_{0};
  std::atomic<bool> is_settling_{false};
  std::atomic<bool> never_settles_{false};
  std::atomic<Phase> phase_{Phase::kRunning};
  std::atomic<std::int64_t> left_running_at_{0};
  std::atomic<bool> stopped_by_request_{false};
  std::atomic<bool> stopped_at_once_{false};
  std::atomic<bool> is_between_steps_{false};
  std::atomic<std::int64_t> between_steps_ended_at_{0};
  std::atomic<std::int64_t> steps_{0};
  std::atomic<std::int64_t> last_step_;
  Recent<StepEvent> step_events_;  // written by the step stage
  mutable std::mutex mutex_;
  std::vector<Failure> failures_;
};

/// The exception that is being handled, as the error of a stage. Keeps a StageError as it is.
[[nodiscard]] StageError current_exception_as_stage_error(const std::string& stage, const std::string& doing,
                                                          std::int64_t firing);

}  // namespace dflash
