// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/whole_since.h"

#include <algorithm>
#include <map>
#include <vector>

namespace dflash {
namespace {

/// What a slot has lost ended before the first that it has kept.
template <class Event>
std::int64_t first_end(const std::vector<Event>& events) {
  std::map<std::int64_t, std::int64_t> of_slot;
  for (const Event& event : events) {
    const auto found = of_slot.try_emplace(event.slot, event.end).first;
    found->second = std::min(found->second, event.end);
  }
  std::int64_t latest = 0;
  for (const auto& [slot, end] : of_slot) {
    latest = std::max(latest, end);
  }
  return latest;
}

std::int64_t first_pop(const std::vector<ItemEvent>& items) { return items.empty() ? 0 : items.front().popped; }

}  // namespace

std::int64_t whole_since(const Timeline& timeline) {
  std::int64_t since = 0;
  for (const StageTimeline& stage : timeline.stages) {
    if (stage.lost > 0) {
      since = std::max({since, first_end(stage.firings), first_end(stage.spans), first_end(stage.device_firings),
                        first_end(stage.device_spans)});
    }
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
