// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace dflash {

/// Catches SIGINT and SIGTERM while it lives. The first is only noted, for the run to end in good order; the second
/// ends the process at once with code 130. One at a time.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();
  [[nodiscard]] bool seen() const;

 private:
  struct sigaction old_interrupt_{};
  struct sigaction old_terminate_{};
};

}  // namespace dflash
