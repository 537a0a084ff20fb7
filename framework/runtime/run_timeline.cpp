// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/run_timeline.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dflash {
namespace {

/// Moves times from the steady clock to the run's.
class Clock {
 public:
  explicit Clock(std::int64_t started_at) : started_at_{started_at} {}

  void shift(FiringEvent& event) const { shift_all(event.free, event.ready, event.begin, event.end); }
  void shift(DeviceEvent& event) const { shift_all(event.queued, event.begin, event.end, event.seen); }
  void shift(SpanEvent& event) const { shift_all(event.begin, event.end); }
  void shift(ItemEvent& event) const { shift_all(event.pushed, event.popped); }
  void shift(StepEvent& event) const { shift_all(event.at); }
  void shift(UsageEvent& event) const { shift_all(event.at); }
  template <class Event>
  void shift(std::vector<Event>& events) const {
    for (Event& event : events) {
      shift(event);
    }
  }
  void shift(Timeline& timeline) const {
    for (StageTimeline& stage : timeline.stages) {
      shift(stage.firings);
      shift(stage.device_firings);
      shift(stage.spans);
      shift(stage.device_spans);
      if (stage.lost > 0) {
        shift_all(stage.whole_since);
      }
    }
    for (EdgeTimeline& edge : timeline.edges) {
      shift(edge.items);
    }
    for (BufferTimeline& buffer : timeline.buffers) {
      shift(buffer.items);
    }
    for (DeviceTimeline& device : timeline.devices) {
      shift(device.usage);
    }
    shift(timeline.steps);
  }

 private:
  template <class... Times>
  void shift_all(Times&... times) const {
    ((times -= started_at_), ...);
  }

  std::int64_t started_at_;
};

/// Several slots have each kept their own, in order.
void order_by_end(StageTimeline& stage) {
  std::ranges::stable_sort(stage.firings, {}, &FiringEvent::end);
  std::ranges::stable_sort(stage.device_firings, {}, &DeviceEvent::end);
  std::ranges::stable_sort(stage.spans, {}, &SpanEvent::end);
  std::ranges::stable_sort(stage.device_spans, {}, &SpanEvent::end);
}

}  // namespace

Timeline run_timeline(RunNetwork& network, const Lanes& lanes, const RunState& state, RunDevices& devices,
                      std::int64_t wall_ns) {
  Timeline timeline;
  if (!state.instrument()) {
    return timeline;
  }
  network.write(timeline, lanes, network.started_at() + wall_ns);
  std::ranges::for_each(timeline.stages, order_by_end);
  timeline.devices = devices.timelines();
  timeline.lanes = lanes.records();
  timeline.steps = state.step_events().oldest_first();
  timeline.steps_lost = state.step_events().lost();
  timeline.wall_ns = wall_ns;
  Clock{network.started_at()}.shift(timeline);
  return timeline;
}

}  // namespace dflash
