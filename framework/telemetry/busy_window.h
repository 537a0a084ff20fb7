// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "framework/telemetry/live_view.h"

namespace dflash {

/// Which stage was busiest lately: over so long a time that it is not another at each look. Looks come in order.
class BusyWindow {
 public:
  static constexpr std::int64_t kLengthNs = 10'000'000'000;

  /// Between the oldest look that is not older than the window and this one.
  [[nodiscard]] BusiestStage add(const LiveView& view);

 private:
  std::deque<LiveView> looks_;
};

}  // namespace dflash
