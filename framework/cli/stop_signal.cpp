// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/stop_signal.h"

#include <atomic>
#include <cstddef>

#include <unistd.h>

#include "framework/core/exit_code.h"

namespace dflash {
namespace {

constexpr int kPatience = 2;  // signals that are only noted

/// Initialised when the program is loaded, so that a handler may touch it.
std::atomic<int>& signals_seen() {
  static constinit std::atomic<int> seen{0};
  static_assert(std::atomic<int>::is_always_lock_free);
  return seen;
}

extern "C" void note_signal(int) {
  if (signals_seen().fetch_add(1) >= kPatience) {
    ::_exit(ExitCode::kInterrupted);
  }
}

}  // namespace

StopSignal::StopSignal() {
  signals_seen() = 0;
  struct sigaction action{};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &old_actions_[i]);
    // Whoever starts a program with `nohup` wants it to outlive the terminal.
    if (kSignals[i] == SIGHUP && old_actions_[i].sa_handler == SIG_IGN) {
      ::sigaction(SIGHUP, &old_actions_[i], nullptr);
    }
  }
}

StopSignal::~StopSignal() {
  if (signals_seen() > 0) {
    return;
  }
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &old_actions_[i], nullptr);
  }
}

int StopSignal::count() { return signals_seen(); }

}  // namespace dflash
