// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>

namespace dflash {

/// Catches SIGINT, SIGTERM and SIGHUP while it lives, and counts them: the first asks the run to end in good order, the
/// second at once. Both are only noted here; who looks after the run acts. The third ends the process with code 130, in
/// case nobody can act any more. Where one has come it goes on catching: the process is about to end with that code,
/// and a late signal must not change it. One at a time.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();
  /// How many came since the last one was made. From any thread.
  [[nodiscard]] static int count();

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> old_actions_{};
};

}  // namespace dflash
