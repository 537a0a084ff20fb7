// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "framework/report/progress.h"

namespace dflash {

/// Looks after a run from a thread of its own while it lives, five times a second: shows progress, asks the run to stop
/// once the user does (see StopSignal), and gives it up where it does not.
class RunWatch {
 public:
  struct Callbacks {
    std::function<ProgressSample()> sample;  // on the watching thread
    std::function<std::string()> activity;   // what is done in place of firings; empty: nothing
    std::function<void()> stop;              // at the first signal; once, on the watching thread
    std::function<void()> stop_at_once;      // at the second; likewise
    std::function<void()> end_if_stalled;    // at each look while there is progress to show; may end the process
    std::function<void()> give_up;           // where the run still goes on `patience` after that; ends the process
    std::chrono::milliseconds patience{1000};
  };

  RunWatch(Progress& progress, Callbacks callbacks);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch();

  /// Prints a line from any thread without breaking the progress line.
  void say(const std::string& line);
  /// From now on there is progress to show.
  void begin_progress();
  /// Shows the last state; from now on there is none to show. Signals are heeded until the destructor.
  void end_progress();

 private:
  void watch(const std::stop_token& token);
  void look();
  void show_activity(const std::string& activity);
  void heed_signals();

  Callbacks callbacks_;
  std::mutex mutex_;  // guards all below
  Progress& progress_;
  bool under_way_ = false;
  std::optional<std::chrono::steady_clock::time_point> busy_since_;
  bool asked_to_stop_ = false;
  std::optional<std::chrono::steady_clock::time_point> asked_to_stop_at_once_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: everything above is there when it starts
};

}  // namespace dflash
