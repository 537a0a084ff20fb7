// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/telemetry/run_record.h"

namespace dflash {

/// One law that a true account of a run obeys.
struct SelfCheck {
  std::string name;    // "sum of states: drafter"
  bool ok = false;     // value <= limit
  double value = 0.0;  // how far off
  double limit = 0.0;
};

/// Checks a record against itself, in this order: per stage the states sum to slots x wall (off by a share of it) and
/// utilisation equals rate x mean service (off by a share of the slots); per device it is not busy beyond the wall (off
/// by a share of it); per edge Little's law against the
/// time-weighted fill (off by a share of the capacity) and flow balance (items in, less those taken, dropped and
/// abandoned).
std::vector<SelfCheck> self_checks(const RunRecord& record);

}  // namespace dflash
