// SPDX-License-Identifier: Apache-2.0
#include "framework/report/behind_drops.h"

namespace dflash {

std::vector<bool> stages_behind_drops(const RunRecord& record) {
  std::vector<bool> behind(record.stages.size(), false);
  for (const EdgeRecord& edge : record.edges) {
    behind[edge.to_stage] = behind[edge.to_stage] || !edge.is_buffer;
  }
  // From the sources on, which nothing feeds, along each edge that dropped nothing.
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const EdgeRecord& edge : record.edges) {
      if (edge.drops == 0 && behind[edge.to_stage] && !behind[edge.from_stage]) {
        behind[edge.to_stage] = false;
        has_changed = true;
      }
    }
  }
  return behind;
}

}  // namespace dflash
