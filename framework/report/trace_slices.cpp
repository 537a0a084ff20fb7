// SPDX-License-Identifier: Apache-2.0
#include "framework/report/trace_slices.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

namespace dflash {
namespace {

bool comes_before(const TraceSlice& a, const TraceSlice& b) {
  return std::tuple{a.slot, a.begin, -a.end, a.number} < std::tuple{b.slot, b.begin, -b.end, b.number};
}

/// Appends the parts of a firing, each inside of the last one that is still open.
void append_parts(const TraceSlice& firing, std::vector<TraceSlice> parts, std::vector<TraceSlice>& slices) {
  std::sort(parts.begin(), parts.end(), comes_before);
  std::vector<std::int64_t> open{firing.end};  // ends of the slices around
  std::int64_t free = firing.begin;            // nothing begins before
  for (TraceSlice& part : parts) {
    part.begin = std::max(part.begin, free);
    while (open.size() > 1 && open.back() <= part.begin) {
      open.pop_back();
    }
    part.end = std::min(part.end, open.back());
    if (part.begin >= part.end) {
      continue;
    }
    free = part.begin;
    open.push_back(part.end);
    slices.push_back(part);
  }
}

template <class Event>
std::vector<TraceSlice> slices_of(const std::vector<Event>& events) {
  std::vector<TraceSlice> slices;
  slices.reserve(events.size());
  for (const Event& event : events) {
    slices.push_back({.number = event.number, .slot = event.slot, .begin = event.begin, .end = event.end});
  }
  return slices;
}

}  // namespace

std::vector<TraceSlice> host_firings(const StageTimeline& stage) { return slices_of(stage.firings); }
std::vector<TraceSlice> device_firings(const StageTimeline& stage) { return slices_of(stage.device_firings); }

std::vector<TraceSlice> trace_slices(std::vector<TraceSlice> firings, const std::vector<SpanEvent>& spans) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TraceSlice>> parts;
  for (const SpanEvent& span : spans) {
    parts[{span.slot, span.number}].push_back(
        {.number = span.number, .slot = span.slot, .name = span.name, .begin = span.begin, .end = span.end});
  }
  std::sort(firings.begin(), firings.end(), comes_before);
  std::vector<TraceSlice> slices;
  std::int64_t slot = 0;
  std::int64_t free = INT64_MIN;
  for (TraceSlice& firing : firings) {
    free = firing.slot == slot ? free : INT64_MIN;
    slot = firing.slot;
    firing.begin = std::max(firing.begin, free);
    firing.end = std::max(firing.end, firing.begin);
    free = firing.end;
    slices.push_back(firing);
    const auto found = parts.find({firing.slot, firing.number});
    if (found != parts.end()) {
      append_parts(firing, std::move(found->second), slices);
      parts.erase(found);
    }
  }
  return slices;
}

}  // namespace dflash
