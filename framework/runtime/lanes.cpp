// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/lanes.h"

namespace dflash {

std::vector<LaneRecord> Lanes::records() const {
  std::vector<LaneRecord> records;
  for (const LanePlan::Lane& lane : plan_.lanes) {
    if (lane.stages > 0) {
      records.push_back({.name = lane.name, .workers = lane.workers});
    }
  }
  return records;
}

}  // namespace dflash
