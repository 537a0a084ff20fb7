// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/report/time_bins.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// A run's timeline over a few bins: what the page draws as strips.

/// What a slot did, or waited for, at a time.
enum class SlotState { kBusy, kGpuWait, kBlocked, kStarved, kDispatch };
inline constexpr std::size_t kSlotStates = 5;

/// Nanoseconds of a stage's slots in each state, by SlotState and bin. What is missing to slots x length of a bin is
/// time before the first and after the last firing.
using StateSeries = std::array<std::vector<std::int64_t>, kSlotStates>;

std::vector<StateSeries> states_over_time(const Timeline& timeline, const TimeBins& bins);  // by stage

/// Items inside, by bin.
struct FillSeries {
  std::vector<double> mean;  // time-weighted
  std::vector<std::int64_t> max;
};

/// Of an edge or a buffer.
FillSeries fill_over_time(const std::vector<ItemEvent>& items, const TimeBins& bins);

/// At most `most` of a device's samples, each the last of its stretch of time, with the greatest memory of the stretch.
std::vector<UsageEvent> usage_over_time(const std::vector<UsageEvent>& usage, std::size_t most);

}  // namespace dflash
