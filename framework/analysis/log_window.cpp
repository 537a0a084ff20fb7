// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/log_window.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace dflash {
namespace {

/// From so few firings upwards a median says something.
constexpr std::size_t kEnough = 8;

std::int64_t median(std::vector<std::int64_t> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::int64_t least(const std::vector<std::int64_t>& values) {
  return values.empty() ? std::numeric_limits<std::int64_t>::max() : *std::ranges::min_element(values);
}

/// From each step to the end of the body of the firing in which it falls, or from that to a step that had to wait until
/// the run had settled; nothing where one falls in no firing.
std::optional<std::vector<std::int64_t>> left_after_steps(const Timeline& timeline, const StageTimeline& stage) {
  std::vector<FiringEvent> firings = stage.firings;
  std::ranges::sort(firings, {}, &FiringEvent::end);
  std::vector<std::int64_t> left;
  for (const StepEvent& step : timeline.steps) {
    const auto firing = std::ranges::lower_bound(firings, step.at, {}, &FiringEvent::end);
    const bool is_lost = stage.lost > 0 && (firing == firings.begin() || step.at < firings.front().end);
    if (is_lost) {
      continue;
    }
    if (firing == firings.end() || firing->begin > step.at || firing->number == 0) {
      return std::nullopt;
    }
    left.push_back(std::abs(firing->body_end() - step.at));
  }
  return left.empty() ? std::nullopt : std::optional{std::move(left)};
}

}  // namespace

std::optional<std::size_t> step_stage_of(const Timeline& timeline) {
  std::optional<std::size_t> nearest;
  std::int64_t least = 0;
  for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
    const auto left = left_after_steps(timeline, timeline.stages[i]);
    if (!left) {
      continue;
    }
    const std::int64_t usual = median(*left);
    if (!nearest || usual < least) {
      nearest = i;
      least = usual;
    }
  }
  return nearest;
}

FiringOverheads overheads_of(const StageTimeline& stage, std::int64_t since) {
  std::vector<std::int64_t> wakes;
  std::vector<std::int64_t> turns;
  for (const FiringEvent& firing : stage.firings) {
    if (firing.number == 0 || firing.begin < since) {
      continue;
    }
    if (firing.ready > firing.free) {
      wakes.push_back(firing.begin - firing.ready);
    } else {
      turns.push_back(firing.begin - firing.free);
    }
  }
  // One of a few may have been late by much.
  const std::int64_t fewest = wakes.empty() && turns.empty() ? 0 : std::min(least(wakes), least(turns));
  return {.wake_ns = wakes.size() < kEnough ? fewest : median(wakes),
          .turn_ns = turns.size() < kEnough ? fewest : median(turns)};
}

}  // namespace dflash
