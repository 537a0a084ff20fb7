// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/runtime/live_slot.h"
#include "framework/telemetry/enabler.h"
#include "framework/telemetry/live_view.h"
#include "framework/telemetry/recent.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// Splits the time of one slot into busy, blocked, starved, gpu_wait, dispatch and ended, each nanosecond once. Written
/// by who runs the slot only; the sums may be read from any thread.
class SlotAccount {
 public:
  void start(std::int64_t now, std::size_t inputs, std::size_t outputs) {
    free_since_ = now;
    starved_by_.resize(inputs);
    blocked_by_.resize(outputs);
    unmade_by_.resize(inputs);
    tell(-now);
  }

  /// The body begins: the time since the slot became free was waiting until `last` came, dispatch afterwards.
  void begin_busy(std::int64_t now, const Enabler& last) {
    const FiringEvent event = last.begins(free_since_, now);
    charge(last, event);
    if (!is_between_) {
      event_ = event;
    }
    free_since_ = event.begin;
    tell(free_since_);
  }
  /// `number`: of the firing; 0: it was the drain. `goes_on`: the firing has not ended with its body, `begin_busy` and
  /// `end_between` follow for what is due between steps.
  void end_busy(std::int64_t now, std::int64_t number, bool goes_on = false) {
    sums_.firings += number > 0 ? 1 : 0;
    const std::int64_t busy = leave_busy(now);
    if (number > 0) {
      service_.record(busy);
    } else {
      drain_ns_ += busy;
    }
    event_.number = number;
    event_.end = free_since_;
    is_between_ = goes_on;
    if (!goes_on) {
      add_event(now);
    }
  }
  void end_between(std::int64_t now) {
    between_ns_ += leave_busy(now);
    event_.between = free_since_ - event_.end;
    event_.end = free_since_;
    is_between_ = false;
    add_event(now);
  }
  /// The stage will never fire again.
  void end(std::int64_t now, const Enabler& last) {
    begin_busy(now, last);
    tell(0);
    ended_since_ = free_since_;
    has_ended_ = true;
  }
  /// The run is over at `now`, or for this slot. One that has not ended waited for `missing` until `stopped`, after
  /// which it could not fire.
  void finish(std::int64_t now, std::int64_t stopped, const Enabler& missing);

  /// Adds this slot's time to its stage's.
  void add_to(StageRecord& record) const;
  /// Adds this slot's firings.
  void add_to(StageTimeline& timeline, std::int64_t slot) const;

  /// From any thread while the run goes on.
  void add_to(LiveStage& stage, std::int64_t now) const;

 private:
  void tell(std::int64_t since) {
    sums_.since = since;
    live_.publish(sums_);
  }
  std::int64_t leave_busy(std::int64_t now) {
    const std::int64_t busy = std::max<std::int64_t>(now - free_since_, 0);
    sums_.busy_ns += busy;
    free_since_ += busy;
    tell(-free_since_);
    return busy;
  }
  void add_event(std::int64_t now) {
    if (now > 0) {  // else nothing is measured
      events_.add(event_);
    }
  }
  void charge(const Enabler& last, const FiringEvent& event) {
    sums_.starved_ns += event.starved;
    sums_.blocked_ns += event.blocked;
    sums_.gpu_wait_ns += event.gpu_wait();
    sums_.dispatch_ns += event.begin - event.ready;
    if (last.kind == Enabler::Kind::kInput) {
      starved_by_[last.port] += event.starved;
      unmade_by_[last.port] += event.gpu_wait();
    } else if (last.kind == Enabler::Kind::kOutput) {
      blocked_by_[last.port] += event.blocked;
    }
  }

  std::int64_t free_since_ = 0;
  SlotFigures sums_;
  std::int64_t drain_ns_ = 0;
  std::int64_t between_ns_ = 0;
  bool is_between_ = false;  // the body of the firing under way has ended
  std::int64_t ended_ns_ = 0;
  std::int64_t ended_since_ = 0;
  bool has_ended_ = false;
  std::vector<std::int64_t> starved_by_;
  std::vector<std::int64_t> blocked_by_;
  std::vector<std::int64_t> unmade_by_;
  Histogram service_;
  FiringEvent event_;  // of the firing under way
  Recent<FiringEvent> events_;
  LiveSlot live_;
};

}  // namespace dflash
