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

void require_sound_stages(const Timeline& timeline, const std::string& file) {
  double time = between(0, timeline.wall_ns);
  for (const StageTimeline& stage : timeline.stages) {
    DFLASH_USER_CHECK(stage.slots >= 1 && stage.slots <= kMostSlots,
                      "'{}' is damaged: stage '{}' has {} slots, allowed: 1 to {}", file, stage.name, stage.slots,
                      kMostSlots);
    for (const FiringEvent& firing : stage.firings) {
      const std::int64_t most = std::max<std::int64_t>(firing.end - firing.begin, 0);
      DFLASH_USER_CHECK(firing.between >= 0 && firing.between <= most,
                        "'{}' is damaged: firing {} of stage '{}' has {} ns between steps, allowed: 0 to {}", file,
                        firing.number, stage.name, firing.between, most);
    }
    time += time_of(stage);
  }
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
