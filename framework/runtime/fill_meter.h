// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "framework/telemetry/run_record.h"

namespace dflash {

/// Integrates the fill of a queue over time: mean fill, time full and time empty are exact, not sampled.
class FillMeter {
 public:
  /// Starts the clock on an empty queue.
  void start(std::int64_t now) { last_ = now; }

  /// Accounts for the time since the last call, in which the queue held `fill` items. Stamps of two threads may be out
  /// of order by a lock's wait; time never runs backwards here.
  void advance(std::int64_t now, std::int64_t fill, bool full) {
    const std::int64_t passed = std::max<std::int64_t>(now - last_, 0);
    last_ += passed;
    area_ += static_cast<double>(passed) * static_cast<double>(fill);
    full_ns_ += full ? passed : 0;
    empty_ns_ += fill == 0 ? passed : 0;
  }

  void write(EdgeRecord& record, std::int64_t wall_ns) const {
    record.mean_fill = wall_ns > 0 ? area_ / static_cast<double>(wall_ns) : 0.0;
    record.full_ns = full_ns_;
    record.empty_ns = empty_ns_;
  }

 private:
  std::int64_t last_ = 0;
  double area_ = 0.0;  // items x ns
  std::int64_t full_ns_ = 0;
  std::int64_t empty_ns_ = 0;
};

}  // namespace dflash
