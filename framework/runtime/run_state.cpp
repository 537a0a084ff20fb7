// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/run_state.h"

#include "framework/core/error.h"

namespace dflash {

StageError current_exception_as_stage_error(const std::string& stage, const std::string& doing, std::int64_t firing) {
  try {
    throw;
  } catch (const StageError& error) {
    return error;
  } catch (const UserError& error) {
    return StageError{stage, doing, firing, error.what(), true};
  } catch (const std::exception& error) {
    return StageError{stage, doing, firing, error.what(), false};
  } catch (...) {
    return StageError{stage, doing, firing, "an exception of unknown type", false};
  }
}

bool RunState::leave_for(Phase phase) {
  Phase current = phase_.load(std::memory_order_relaxed);
  while (current < phase) {
    if (phase_.compare_exchange_weak(current, phase, std::memory_order_acq_rel)) {
      std::int64_t still_running = 0;
      left_running_at_.compare_exchange_strong(still_running, now(), std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

void RunState::request_stop() {
  stopped_by_request_.store(true, std::memory_order_relaxed);
  leave_for(Phase::kStopping);
}

void RunState::request_stop_at_once() {
  if (leave_for(Phase::kAborted)) {
    stopped_at_once_.store(true, std::memory_order_relaxed);
  }
}

void RunState::finish() {
  if (leave_for(Phase::kFinishing)) {
    wake_all_();
  }
}

void RunState::fail_with_current_exception(const std::string& stage, const std::string& doing, std::int64_t firing) {
  fail(current_exception_as_stage_error(stage, doing, firing));
}

void RunState::fail(const StageError& error) {
  {
    const std::lock_guard lock{mutex_};
    failures_.push_back({.message = error.what(), .caused_by_user = error.caused_by_user});
  }
  leave_for(Phase::kAborted);
}

void RunState::remove_behind(std::int64_t items) {
  if (behind_.fetch_sub(items) == items && is_settling_) {
    settled_();
  }
}

bool RunState::try_settle() {
  is_settling_ = true;  // before the look: whoever works the last item off after it, sees this
  if (behind_ > 0 && !never_settles_) {
    return false;
  }
  is_settling_ = false;
  return true;
}

bool RunState::give_up_settling() {
  if (!is_settling_.exchange(false)) {
    return false;
  }
  never_settles_ = true;
  settled_();
  return true;
}

void RunState::complete_step(std::int64_t step, Firing& firing, const SaveCut& save) {
  steps_.fetch_add(1, std::memory_order_relaxed);
  last_step_.store(step, std::memory_order_relaxed);
  step_events_.add({.step = step, .at = now()});
  if (options_->between_steps) {
    is_between_steps_.store(true, std::memory_order_relaxed);
    options_->between_steps(step, firing, save);
    between_steps_ended_at_.store(now(), std::memory_order_relaxed);
    is_between_steps_.store(false, std::memory_order_release);
  }
  if (is_stopping() || reached_steps()) {
    finish();
  }
}

std::vector<RunState::Failure> RunState::failures() const {
  const std::lock_guard lock{mutex_};
  return failures_;
}

}  // namespace dflash
