// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/stop_signal.h"

#include <atomic>

#include <unistd.h>

namespace dflash {
namespace {

constexpr int kInterruptedCode = 130;

std::atomic<int> signals_seen{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void note_signal(int) {
  if (signals_seen.fetch_add(1) >= 1) {
    ::_exit(kInterruptedCode);
  }
}

}  // namespace

StopSignal::StopSignal() {
  signals_seen = 0;
  struct sigaction action{};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
}

StopSignal::~StopSignal() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
}

bool StopSignal::seen() const { return signals_seen > 0; }

}  // namespace dflash
