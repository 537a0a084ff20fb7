// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/whole_since.h"

#include <algorithm>
#include <vector>

namespace dflash {
namespace {

std::int64_t first_pop(const std::vector<ItemEvent>& items) { return items.empty() ? 0 : items.front().popped; }

}  // namespace

std::int64_t whole_since(const Timeline& timeline) {
  std::int64_t since = 0;
  for (const StageTimeline& stage : timeline.stages) {
    since = std::max(since, stage.whole_since);
  }
  for (const EdgeTimeline& edge : timeline.edges) {
    since = std::max(since, edge.lost > 0 ? first_pop(edge.items) : 0);
  }
  for (const BufferTimeline& buffer : timeline.buffers) {
    since = std::max(since, buffer.lost > 0 ? first_pop(buffer.items) : 0);
  }
  return since;
}

}  // namespace dflash
