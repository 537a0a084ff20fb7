// SPDX-License-Identifier: Apache-2.0
#include "framework/report/time_bins.h"

#include <iterator>

namespace dflash {
namespace {

/// Events stand in the order of their end, so what was lost ended before the first that is kept.
template <class Event>
std::int64_t first_end(const std::vector<Event>& events, std::int64_t Event::* end) {
  return events.empty() ? 0 : events.front().*end;
}

}  // namespace

TimeBins TimeBins::equal(std::int64_t begin, std::int64_t end, std::size_t count) {
  const std::int64_t span = std::max<std::int64_t>(end - begin, 0);
  const std::int64_t bins = std::min(span, static_cast<std::int64_t>(count));
  std::vector<std::int64_t> bounds;
  for (std::int64_t i = 0; i <= bins && bins > 0; ++i) {
    bounds.push_back(begin + span / bins * i + span % bins * i / bins);
  }
  return TimeBins{std::move(bounds)};
}

std::size_t TimeBins::bin_of(std::int64_t at) const {
  const auto after = std::upper_bound(bounds_.begin(), bounds_.end(), at);
  const auto bin = std::max<std::ptrdiff_t>(std::distance(bounds_.begin(), after) - 1, 0);
  return std::min(static_cast<std::size_t>(bin), size() - 1);
}

std::int64_t complete_since(const Timeline& timeline) {
  std::int64_t since = 0;
  for (const StageTimeline& stage : timeline.stages) {
    if (stage.lost > 0) {
      since = std::max({since, first_end(stage.firings, &FiringEvent::end), first_end(stage.spans, &SpanEvent::end),
                        first_end(stage.device_firings, &DeviceEvent::end),
                        first_end(stage.device_spans, &SpanEvent::end)});
    }
  }
  for (const EdgeTimeline& edge : timeline.edges) {
    since = edge.lost > 0 ? std::max(since, first_end(edge.items, &ItemEvent::popped)) : since;
  }
  for (const BufferTimeline& buffer : timeline.buffers) {
    since = buffer.lost > 0 ? std::max(since, first_end(buffer.items, &ItemEvent::popped)) : since;
  }
  return since < timeline.wall_ns ? since : 0;
}

}  // namespace dflash
