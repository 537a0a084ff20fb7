// SPDX-License-Identifier: Apache-2.0
#include "framework/report/trace_json.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/report/fill_changes.h"
#include "framework/report/trace_events.h"
#include "framework/report/trace_slices.h"

namespace dflash {
namespace {

constexpr std::int64_t kStages = 1;  // processes
constexpr std::int64_t kQueues = 2;
constexpr std::int64_t kFirstDevice = 3;
constexpr std::int64_t kEventsOfItem = 4;  // two of its arrow, two of the counter
/// What a firing waited for longest.
const char* longest_wait(const FiringEvent& firing) {
  using Wait = std::pair<std::int64_t, const char*>;
  return std::ranges::max({Wait{0, "nothing"}, Wait{firing.starved, "input"}, Wait{firing.blocked, "a full edge"},
                           Wait{firing.gpu_wait(), "the device"}, Wait{firing.begin - firing.ready, "a worker"}},
                          {}, &Wait::first)
      .second;
}

class Trace {
 public:
  Trace(const Timeline& timeline, std::ostream& out, std::int64_t most)
      : timeline_{timeline}, events_{out}, host_(timeline.stages.size()) {
    choose_begin(most);
  }

  TraceGaps write(const std::string& name) {
    events_.name_process(kStages, "stages");
    write_steps();
    for (std::size_t stage = 0; stage < timeline_.stages.size(); ++stage) {
      write_stage(stage);
    }
    write_devices();
    write_queues();
    write_arrows();
    gaps_.written = events_.count();
    events_.finish({{"graph", name},
                    {"clock", "nanoseconds since the run began"},
                    {"begins_at_ns", begin_},
                    {"events_left_out", gaps_.left_out},
                    {"events_lost_by_the_timeline", gaps_.lost}});
    return gaps_;
  }

 private:
  using Place = std::pair<TraceTrack, TraceSlice>;

  template <class Visit>
  void each_queue(const Visit& visit) const {
    for (const EdgeTimeline& edge : timeline_.edges) {
      visit(edge.name, edge.from_stage, edge.to_stage, edge.items);
    }
    for (const BufferTimeline& buffer : timeline_.buffers) {
      visit("[" + timeline_.stages[buffer.stage].name + "]", buffer.stage, buffer.stage, buffer.items);
    }
  }

  /// From when on there is room for all events.
  void choose_begin(std::int64_t most) {
    std::vector<std::pair<std::int64_t, std::int64_t>> ends;  // and how many events
    const auto add = [&ends](std::int64_t end, std::int64_t count) { ends.emplace_back(end, count); };
    for (const StageTimeline& stage : timeline_.stages) {
      std::ranges::for_each(stage.firings, [&](const FiringEvent& event) { add(event.end, 1); });
      std::ranges::for_each(stage.device_firings, [&](const DeviceEvent& event) { add(event.end, 1); });
      std::ranges::for_each(stage.spans, [&](const SpanEvent& event) { add(event.end, 1); });
      std::ranges::for_each(stage.device_spans, [&](const SpanEvent& event) { add(event.end, 1); });
      gaps_.lost += stage.lost;
    }
    each_queue([&](const std::string&, std::size_t, std::size_t, const std::vector<ItemEvent>& items) {
      std::ranges::for_each(items, [&](const ItemEvent& item) { add(item.popped, kEventsOfItem); });
    });
    for (const DeviceTimeline& device : timeline_.devices) {
      std::ranges::for_each(device.usage, [&](const UsageEvent& event) { add(event.at, 2); });
    }
    std::ranges::for_each(timeline_.steps, [&](const StepEvent& event) { add(event.at, 1); });
    for (const EdgeTimeline& edge : timeline_.edges) {
      gaps_.lost += edge.lost;
    }
    for (const BufferTimeline& buffer : timeline_.buffers) {
      gaps_.lost += buffer.lost;
    }
    gaps_.lost += timeline_.steps_lost;
    std::sort(ends.begin(), ends.end(), std::greater<>{});
    std::int64_t room = most;
    for (const auto& [end, count] : ends) {
      room -= count;
      if (room < 0) {
        begin_ = std::max(begin_, end + 1);
        gaps_.left_out += count;
      }
    }
  }

  void write_steps() {
    const TraceTrack track{.process = kStages, .thread = 0};
    if (!timeline_.steps.empty()) {
      events_.name_thread(track, "steps");
    }
    std::int64_t before = timeline_.steps_lost > 0 ? -1 : 0;
    for (const StepEvent& step : timeline_.steps) {
      if (step.at >= begin_ && before >= 0 && step.at >= before) {
        events_.slice(track, fmt::format("step {}", step.step), before, step.at);
      }
      before = std::max(before, step.at);
    }
  }

  void write_stage(std::size_t index) {
    const StageTimeline& stage = timeline_.stages[index];
    std::unordered_map<std::int64_t, const FiringEvent*> waits;
    for (const FiringEvent& firing : stage.firings) {
      waits.emplace(firing.number, &firing);
    }
    write_slices(stage, kStages, next_thread_, trace_slices(host_firings(stage), stage.spans),
                 [&](const TraceTrack& track, const TraceSlice& slice) {
                   if (slice.name != TraceSlice::kFiring) {
                     return Json();
                   }
                   host_[index].emplace(slice.number, Place{track, slice});
                   return args_of(*waits.at(slice.number));
                 });
  }

  static Json args_of(const FiringEvent& firing) {
    return {{"waited_us", static_cast<double>(firing.begin - firing.free) / 1000.0},
            {"waited_for", longest_wait(firing)}};
  }

  /// A track for each slot. `args(track, slice)` gives a slice's arguments.
  template <class Args>
  void write_slices(const StageTimeline& stage, std::int64_t process, std::int64_t& next_thread,
                    const std::vector<TraceSlice>& slices, const Args& args) {
    TraceTrack track{.process = process, .thread = next_thread};
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const TraceSlice& slice = slices[i];
      if (i == 0 || slice.slot != slices[i - 1].slot) {
        track.thread = next_thread++;
        const bool has_more = slices.front().slot != slices.back().slot;
        events_.name_thread(track, has_more ? fmt::format("{} slot {}", stage.name, slice.slot + 1) : stage.name);
      }
      if (slice.end >= begin_) {
        events_.slice(track, slice_name(stage, slice), slice.begin, slice.end, args(track, slice));
      }
    }
  }

  static std::string slice_name(const StageTimeline& stage, const TraceSlice& slice) {
    if (slice.name != TraceSlice::kFiring) {
      return stage.span_names[static_cast<std::size_t>(slice.name)];
    }
    return slice.number == 0 ? stage.name + " drain" : fmt::format("{} #{}", stage.name, slice.number);
  }

  void write_devices() {
    std::vector<std::string> devices;
    for (const DeviceTimeline& device : timeline_.devices) {
      devices.push_back(device.name);
    }
    for (const StageTimeline& stage : timeline_.stages) {
      if (!stage.device_firings.empty() && std::ranges::find(devices, stage.device) == devices.end()) {
        devices.push_back(stage.device);
      }
    }
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const std::int64_t process = kFirstDevice + static_cast<std::int64_t>(i);
      events_.name_process(process, devices[i]);
      std::int64_t thread = 1;
      for (const StageTimeline& stage : timeline_.stages) {
        if (stage.device == devices[i] && !stage.device_firings.empty()) {
          write_slices(stage, process, thread, trace_slices(device_firings(stage), stage.device_spans),
                       [](const TraceTrack&, const TraceSlice&) { return Json(); });
        }
      }
      if (i < timeline_.devices.size()) {
        write_usage(timeline_.devices[i], process);
      }
    }
  }

  void write_usage(const DeviceTimeline& device, std::int64_t process) {
    for (const UsageEvent& usage : device.usage) {
      if (usage.at >= begin_) {
        events_.counter(process, "memory", usage.at, "bytes", usage.memory_bytes);
        events_.counter(process, "host waits", usage.at, "count", usage.host_waits);
      }
    }
  }

  void write_queues() {
    events_.name_process(kQueues, "edges and buffers");
    each_queue([&](const std::string& name, std::size_t, std::size_t, const std::vector<ItemEvent>& items) {
      const std::vector<FillChange> changes = fill_changes(items);
      std::int64_t fill = 0;
      std::int64_t told = -1;
      for (std::size_t i = 0; i < changes.size(); ++i) {
        fill += changes[i].by;
        const bool is_last_then = i + 1 == changes.size() || changes[i + 1].at != changes[i].at;
        if (is_last_then && changes[i].at >= begin_ && fill != told) {
          events_.counter(kQueues, name, changes[i].at, "items", fill);
          told = fill;
        }
      }
    });
  }

  void write_arrows() {
    each_queue([&](const std::string& name, std::size_t from, std::size_t to, const std::vector<ItemEvent>& items) {
      for (const ItemEvent& item : items) {
        const auto made = host_[from].find(item.from_firing);
        const auto taken = host_[to].find(item.to_firing);
        if (item.from_firing == 0 || item.to_firing == 0 || made == host_[from].end() || taken == host_[to].end()) {
          continue;
        }
        const TraceSlice& maker = made->second.second;
        const TraceSlice& taker = taken->second.second;
        const std::int64_t left = std::clamp(item.pushed, maker.begin, std::max(maker.begin, maker.end - 1));
        if (left <= taker.begin) {  // else the viewer would draw it backwards
          events_.arrow(name, {made->second.first, left}, {taken->second.first, taker.begin});
        }
      }
    });
  }

  const Timeline& timeline_;
  TraceEvents events_;
  std::vector<std::unordered_map<std::int64_t, Place>>
      host_;  // by stage and number: where its firings are in the trace
  std::int64_t next_thread_ = 1;
  std::int64_t begin_ = 0;
  TraceGaps gaps_;
};

}  // namespace

TraceGaps write_trace(const Timeline& timeline, const std::string& name, std::ostream& out, std::int64_t most) {
  return Trace{timeline, out, most}.write(name);
}

}  // namespace dflash
