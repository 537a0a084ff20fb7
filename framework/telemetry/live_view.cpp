// SPDX-License-Identifier: Apache-2.0
#include "framework/telemetry/live_view.h"

#include <algorithm>

namespace dflash {

const char* phase_name(const LiveView& view) {
  if (view.is_under_way) {
    return "running";
  }
  return view.stages.empty() ? "starting" : "finishing";
}

const char* lack_name(Lack lack) {
  switch (lack) {
    case Lack::kInput:
      return "input";
    case Lack::kRoom:
      return "room";
    case Lack::kDevice:
      return "device";
    case Lack::kWorker:
      return "worker";
    case Lack::kNothing:
      break;
  }
  return "";
}

namespace {

bool has_empty_input(const LiveView& view, std::size_t stage) {
  return std::ranges::any_of(view.edges, [stage](const LiveEdge& edge) {
    return edge.to_stage == stage && !edge.is_buffer && edge.fill == 0;
  });
}

bool has_full_output(const LiveView& view, std::size_t stage) {
  return std::ranges::any_of(view.edges, [stage](const LiveEdge& edge) {
    return edge.from_stage == stage && !edge.is_buffer && edge.is_full;
  });
}

bool holds_items(const LiveView& view, std::size_t stage) {
  return std::ranges::any_of(view.edges, [stage](const LiveEdge& edge) {
    return edge.from_stage == stage && edge.is_buffer && edge.fill > 0;
  });
}

Lack lack_of(const LiveView& view, std::size_t stage) {
  const bool full = has_full_output(view, stage);
  if (full && holds_items(view, stage)) {
    return Lack::kRoom;  // a buffer goes on without input
  }
  if (has_empty_input(view, stage)) {
    return Lack::kInput;
  }
  return full ? Lack::kRoom : Lack::kWorker;
}

}  // namespace

void find_lacks(LiveView& view) {
  for (std::size_t i = 0; i < view.stages.size(); ++i) {
    LiveStage& stage = view.stages[i];
    if (stage.waiting_slots > 0 && stage.lacks == Lack::kNothing) {
      stage.lacks = lack_of(view, i);
    }
  }
}

void keep_rising(const LiveView& before, LiveView& after) {
  for (std::size_t i = 0; i < std::min(before.stages.size(), after.stages.size()); ++i) {
    after.stages[i].busy_ns = std::max(after.stages[i].busy_ns, before.stages[i].busy_ns);
  }
}

BusiestStage busiest_stage(const LiveView& before, const LiveView& after) {
  const auto passed = static_cast<double>(std::max<std::int64_t>(after.wall_ns - before.wall_ns, 1));
  BusiestStage busiest;
  for (std::size_t i = 0; i < after.stages.size(); ++i) {
    const LiveStage& stage = after.stages[i];
    const std::int64_t earlier = i < before.stages.size() ? before.stages[i].busy_ns : 0;
    const auto busy = static_cast<double>(stage.busy_ns - earlier) / static_cast<double>(stage.slots);
    const double share = std::clamp(busy / passed, 0.0, 1.0);
    if (busiest.name.empty() || share > busiest.share) {
      busiest = {.name = stage.name, .share = share};
    }
  }
  return busiest;
}

}  // namespace dflash
