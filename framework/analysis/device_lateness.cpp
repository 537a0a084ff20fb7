// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/device_lateness.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace dflash {
namespace {

/// What depends on a firing may have waited for something else as well; nothing is taken for later than so many times
/// what is usual.
constexpr std::int64_t kMostTimesUsual = 4;

class Lateness {
 public:
  Lateness(const Timeline& timeline, std::size_t stage) : timeline_{timeline}, stage_{timeline.stages[stage]} {
    for (const DeviceEvent& firing : stage_.device_firings) {
      seen_by_[firing.number] = std::numeric_limits<std::int64_t>::max();
    }
    bound_by_own_firings();
    for (const EdgeTimeline& edge : timeline.edges) {
      if (edge.to_stage == stage && edge.blocks && stage_.slots == 1) {
        bound_by_places(edge);
      }
      if (edge.from_stage == stage && timeline.stages[edge.to_stage].device.empty()) {
        bound_by_consumer(edge);
      }
    }
  }

  std::map<std::int64_t, std::int64_t> result() const {
    std::map<std::int64_t, std::int64_t> late;
    std::vector<std::int64_t> all;
    for (const DeviceEvent& firing : stage_.device_firings) {
      const std::int64_t seen = seen_by_.at(firing.number);
      if (seen != std::numeric_limits<std::int64_t>::max()) {
        late[firing.number] = std::max<std::int64_t>(seen - firing.end, 0);
        all.push_back(late[firing.number]);
      }
    }
    if (all.empty()) {
      return late;
    }
    const auto usual = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, usual);
    for (const DeviceEvent& firing : stage_.device_firings) {
      std::int64_t& lateness = late.try_emplace(firing.number, *usual).first->second;
      lateness = std::min(lateness, kMostTimesUsual * *usual);
    }
    return late;
  }

 private:
  void bound(std::int64_t number, std::int64_t at) {
    const auto found = seen_by_.find(number);
    if (found != seen_by_.end()) {
      found->second = std::min(found->second, at);
    }
  }

  /// Two may be queued, so the third began after the first was seen to be done.
  void bound_by_own_firings() {
    std::map<std::int64_t, std::vector<FiringEvent>> of_slot;
    for (const FiringEvent& firing : stage_.firings) {
      of_slot[firing.slot].push_back(firing);
    }
    for (const auto& [slot, firings] : of_slot) {
      for (std::size_t i = 2; i < firings.size(); ++i) {
        bound(firings[i - 2].number, stage_.slots == 1 ? firings[i].ready : firings[i].begin);
      }
    }
  }

  /// An item that came as many places later as the edge has, had to wait for this one's.
  void bound_by_places(const EdgeTimeline& edge) {
    const std::map<std::int64_t, std::int64_t> ready = ready_times(edge.from_stage);
    const auto capacity = static_cast<std::size_t>(edge.capacity_items);
    for (std::size_t i = 0; i + capacity < edge.items.size(); ++i) {
      const ItemEvent& after = edge.items[i + capacity];
      const bool is_first = edge.items[i + capacity - 1].from_firing != after.from_firing;
      const auto began = ready.find(after.from_firing);
      bound(edge.items[i].to_firing, is_first && began != ready.end() ? began->second : after.pushed);
    }
  }

  void bound_by_consumer(const EdgeTimeline& edge) {
    const bool is_buffer = std::ranges::find(timeline_.buffers, edge.to_stage, &BufferTimeline::stage) !=
                           timeline_.buffers.end();                                // it passes on what is not made yet
    const bool shares_lane = timeline_.stages[edge.to_stage].lane == stage_.lane;  // it may wait in its firing
    if (is_buffer || shares_lane) {
      return;
    }
    const std::map<std::int64_t, std::int64_t> ready = ready_times(edge.to_stage);
    for (const ItemEvent& item : edge.items) {
      const auto taken = ready.find(item.to_firing);
      if (taken != ready.end()) {
        bound(item.from_firing, taken->second);
      }
    }
  }

  [[nodiscard]] std::map<std::int64_t, std::int64_t> ready_times(std::size_t stage) const {
    std::map<std::int64_t, std::int64_t> times;
    for (const FiringEvent& firing : timeline_.stages[stage].firings) {
      if (firing.number > 0) {
        times[firing.number] = firing.ready;
      }
    }
    return times;
  }

  const Timeline& timeline_;
  const StageTimeline& stage_;
  std::map<std::int64_t, std::int64_t> seen_by_;  // at the latest
};

}  // namespace

std::map<std::int64_t, std::int64_t> device_lateness(const Timeline& timeline, std::size_t stage) {
  return Lateness{timeline, stage}.result();
}

}  // namespace dflash
