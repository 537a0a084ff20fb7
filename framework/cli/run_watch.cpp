// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_watch.h"

#include <chrono>
#include <utility>

#include "framework/cli/stop_signal.h"

namespace dflash {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

}  // namespace

RunWatch::RunWatch(Progress& progress, Callbacks callbacks)
    : callbacks_{std::move(callbacks)},
      progress_{progress},
      thread_{[this](const std::stop_token& token) { watch(token); }} {}

RunWatch::~RunWatch() {
  thread_.request_stop();
  thread_.join();
  if (busy_since_) {
    progress_.idle();
  }
}

void RunWatch::say(const std::string& line) {
  const std::lock_guard lock{mutex_};
  progress_.say(line);
}

void RunWatch::begin_progress() {
  const std::lock_guard lock{mutex_};
  under_way_ = true;
}

void RunWatch::end_progress() {
  const std::lock_guard lock{mutex_};
  if (under_way_) {
    progress_.finish(callbacks_.sample());
  }
  under_way_ = false;
}

void RunWatch::watch(const std::stop_token& token) {
  while (!token.stop_requested()) {
    std::unique_lock lock{mutex_};
    wake_.wait_for(lock, token, kBetweenLooks, [] { return false; });
    look();
  }
}

void RunWatch::look() {
  heed_signals();
  const std::string activity = callbacks_.activity();
  if (!activity.empty() || busy_since_) {
    show_activity(activity);
  }
  if (under_way_) {
    if (activity.empty()) {
      progress_.update(callbacks_.sample());
    }
    callbacks_.end_if_stalled();
  }
}

void RunWatch::show_activity(const std::string& activity) {
  if (activity.empty()) {
    progress_.idle();
    busy_since_.reset();
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  busy_since_ = busy_since_.value_or(now);
  progress_.busy(activity, std::chrono::duration<double>(now - *busy_since_).count());
}

void RunWatch::heed_signals() {
  const int signals = StopSignal::count();
  if (signals >= 1 && !asked_to_stop_) {
    asked_to_stop_ = true;
    progress_.say(
        "stopping: what is in flight is finished, then a checkpoint and the report are written (once more: stop now)");
    callbacks_.stop();
  }
  const auto now = std::chrono::steady_clock::now();
  if (signals >= 2 && !asked_to_stop_at_once_) {
    asked_to_stop_at_once_ = now;
    progress_.say("stopping now: only the report is written");
    callbacks_.stop_at_once();
  }
  if (asked_to_stop_at_once_ && now - *asked_to_stop_at_once_ >= callbacks_.patience) {
    callbacks_.give_up();
  }
}

}  // namespace dflash
