// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dflash {

/// How a run or a command ended. Programs rely on these numbers.
struct ExitCode {
  static constexpr int kDone = 0;
  static constexpr int kStageFailed = 1;
  static constexpr int kUserError = 2;  // wrong graph or input
  static constexpr int kStalled = 3;    // deadlock or stall
  static constexpr int kInterrupted = 130;
};

}  // namespace dflash
