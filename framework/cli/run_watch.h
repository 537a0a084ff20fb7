// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "framework/cli/stop_signal.h"
#include "framework/report/progress.h"

namespace dflash {

/// Looks after a run from a thread of its own while it lives, five times a second: shows progress, and asks the run to
/// stop once the user does.
class RunWatch {
 public:
  struct Callbacks {
    std::function<ProgressSample()> sample;  // on the watching thread
    std::function<void()> stop;              // at most once, on the watching thread
  };

  RunWatch(Progress& progress, Callbacks callbacks);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch();

  /// Prints a line from any thread without breaking the progress line.
  void say(const std::string& line);
  /// From now on there is progress to show.
  void begin_progress();
  /// Ends watching, with the last state shown. The destructor does it too.
  void finish();

 private:
  void watch(const std::stop_token& token);
  void look();

  StopSignal signal_;
  Callbacks callbacks_;
  std::mutex mutex_;  // guards progress_, under_way_ and asked_to_stop_
  Progress& progress_;
  bool under_way_ = false;
  bool asked_to_stop_ = false;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: everything above is there when it starts
};

}  // namespace dflash
