// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/telemetry/run_record.h"

namespace dflash {

/// The wall time that one stage or lane needs for this run's work if it never waits: StageRecord::needed_ns over its
/// slots, a lane's bodies over its workers, less the part that went into what nobody took before the run ended
/// (needed_work.h).
struct WallLimit {
  std::string name;
  bool is_lane = false;
  double wall_ns = 0.0;
};

/// What the run achieved against what its slowest part allows.
struct ThroughputBound {
  std::string unit;               // "steps/s", or "firings/s of 'sink'" where no stage drives steps
  double achieved = 0.0;          // in `unit`
  double bound = 0.0;             // in `unit`; never below `achieved`
  double gap = 0.0;               // 1 - achieved / bound
  std::vector<WallLimit> limits;  // the tightest first; without what is behind drops
  /// `unit` that a limit allows.
  [[nodiscard]] double rate_at(const WallLimit& limit) const {
    return limit.wall_ns <= 0.0 ? 0.0 : work / limit.wall_ns * 1e9;
  }
  double work = 0.0;  // steps or firings done
};

ThroughputBound throughput_bound(const RunRecord& record);

}  // namespace dflash
