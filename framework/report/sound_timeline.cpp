// SPDX-License-Identifier: Apache-2.0
#include "framework/report/sound_timeline.h"

#include <algorithm>
#include <cmath>

#include "framework/core/error.h"

namespace dflash {
namespace {

/// Whoever reads a timeline has a place for each slot.
constexpr std::int64_t kMostSlots = std::int64_t{1} << 16;

double between(std::int64_t begin, std::int64_t end) { return std::abs(static_cast<double>(end - begin)); }

double time_of(const StageTimeline& stage) {
  double sum = 0.0;
  for (const FiringEvent& firing : stage.firings) {
    sum += between(firing.free, firing.ready) + between(firing.ready, firing.begin) + between(firing.begin, firing.end);
  }
  for (const DeviceEvent& firing : stage.device_firings) {
    sum += between(firing.begin, firing.end) + between(firing.end, firing.seen) + between(0, firing.lag);
  }
  return sum;
}

/// The times of a firing follow each other, its waiting fits in front of it and the time between steps into it.
bool is_sound(const FiringEvent& firing) {
  return firing.free <= firing.ready && firing.ready <= firing.begin && firing.starved >= 0 && firing.blocked >= 0 &&
         firing.gpu_wait() >= 0 && firing.between >= 0 &&
         firing.between <= std::max<std::int64_t>(firing.end - firing.begin, 0);
}

void require_sound_stages(const Timeline& timeline, const std::string& file) {
  double time = between(0, timeline.wall_ns);
  for (const StageTimeline& stage : timeline.stages) {
    DFLASH_USER_CHECK(stage.slots >= 1 && stage.slots <= kMostSlots,
                      "'{}' is damaged: stage '{}' has {} slots, allowed: 1 to {}", file, stage.name, stage.slots,
                      kMostSlots);
    const auto unsound = std::ranges::find_if_not(stage.firings, is_sound);
    DFLASH_USER_CHECK(unsound == stage.firings.end(),
                      "'{}' is damaged: the times of firing {} of stage '{}' do not fit each other", file,
                      unsound->number, stage.name);
    time += time_of(stage);
  }
  DFLASH_USER_CHECK(std::ranges::count(timeline.stages, true, &StageTimeline::makes_steps) <= 1,
                    "'{}' is damaged: several stages make its steps", file);
  DFLASH_USER_CHECK(time <= static_cast<double>(kMostTimeNs), "'{}' is damaged: its times are too far apart", file);
}

}  // namespace

void require_sound(const Timeline& timeline, const std::string& file) {
  require_sound_stages(timeline, file);
  for (const EdgeTimeline& edge : timeline.edges) {
    DFLASH_USER_CHECK(edge.capacity_items >= 1, "'{}' is damaged: edge '{}' has room for {} items, allowed: at least 1",
                      file, edge.name, edge.capacity_items);
  }
  for (const BufferTimeline& buffer : timeline.buffers) {
    const StageTimeline& stage = timeline.stages[buffer.stage];
    DFLASH_USER_CHECK(std::ranges::count(timeline.edges, buffer.stage, &EdgeTimeline::to_stage) == 1,
                      "'{}' is damaged: buffer '{}' has not one input", file, stage.name);
    DFLASH_USER_CHECK(stage.device_firings.empty() && stage.slots == 1,
                      "'{}' is damaged: buffer '{}' fires on a device or in several slots", file, stage.name);
    DFLASH_USER_CHECK(buffer.capacity_items >= 1,
                      "'{}' is damaged: buffer '{}' has room for {} items, allowed: at least 1", file, stage.name,
                      buffer.capacity_items);
    DFLASH_USER_CHECK(buffer.min_ready >= 1, "'{}' is damaged: buffer '{}' has min_ready {}, allowed: at least 1", file,
                      stage.name, buffer.min_ready);
  }
}

}  // namespace dflash
