// SPDX-License-Identifier: Apache-2.0
#include "framework/report/needed_work.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dflash {

double taken_share(const EdgeRecord& edge) {
  const std::int64_t untaken = std::max<std::int64_t>(edge.abandoned - 1, 0);
  return edge.items <= 0 ? 1.0
                         : std::clamp(1.0 - static_cast<double>(untaken) / static_cast<double>(edge.items), 0.0, 1.0);
}

std::vector<double> needed_shares(const RunRecord& record) {
  std::vector<double> shares(record.stages.size(), 1.0);
  for (std::size_t stage = record.stages.size(); stage-- > 0;) {
    double needed = 0.0;
    bool feeds = false;
    double held = 1.0;  // by the stage itself, where it is a buffer
    for (const EdgeRecord& edge : record.edges) {
      const bool goes_on = edge.from_stage == stage && edge.to_stage > stage;  // stages stand in the order of the flow
      if (edge.is_buffer && edge.to_stage == stage) {
        held = taken_share(edge);
      } else if (goes_on && edge.items > 0) {
        feeds = true;
        needed = std::max(needed, taken_share(edge) * shares[edge.to_stage]);
      }
    }
    shares[stage] = held * (feeds ? needed : 1.0);
  }
  return shares;
}

}  // namespace dflash
