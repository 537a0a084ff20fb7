// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_watch.h"

#include <chrono>
#include <utility>

namespace dflash {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

}  // namespace

RunWatch::RunWatch(Progress& progress, Callbacks callbacks)
    : callbacks_{std::move(callbacks)},
      progress_{progress},
      thread_{[this](const std::stop_token& token) { watch(token); }} {}

RunWatch::~RunWatch() { finish(); }

void RunWatch::say(const std::string& line) {
  const std::lock_guard lock{mutex_};
  progress_.say(line);
}

void RunWatch::begin_progress() {
  const std::lock_guard lock{mutex_};
  under_way_ = true;
}

void RunWatch::finish() {
  if (!thread_.joinable()) {
    return;
  }
  thread_.request_stop();
  thread_.join();
  const std::lock_guard lock{mutex_};
  if (under_way_) {
    progress_.finish(callbacks_.sample());
  }
}

void RunWatch::watch(const std::stop_token& token) {
  while (!token.stop_requested()) {
    std::unique_lock lock{mutex_};
    wake_.wait_for(lock, token, kBetweenLooks, [] { return false; });
    look();
  }
}

void RunWatch::look() {
  if (signal_.seen() && !asked_to_stop_) {
    asked_to_stop_ = true;
    progress_.say(
        "stopping: what is in flight is finished, then a checkpoint and the report are written (once more: stop now)");
    callbacks_.stop();
  }
  if (under_way_) {
    progress_.update(callbacks_.sample());
  }
}

}  // namespace dflash
