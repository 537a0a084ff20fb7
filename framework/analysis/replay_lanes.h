// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "framework/analysis/pipeline_model.h"

namespace dflash {

/// The workers of the lanes that are short of them. On any other lane each firing finds one.
class ReplayLanes {
 public:
  explicit ReplayLanes(const PipelineModel& model) {
    for (const LaneRecord& lane : model.lanes) {
      const std::int64_t workers = model.scarce_workers(lane.name);
      lanes_.push_back({.is_scarce = workers > 0, .free_workers = workers, .waiting = {}});
    }
    for (const ModelStage& stage : model.stages) {
      const auto lane = std::ranges::find(model.lanes, stage.lane, &LaneRecord::name);
      lane_of_.push_back(static_cast<std::size_t>(lane - model.lanes.begin()));
    }
  }

  /// False: none is free, and the stage waits behind those that came before.
  bool take(std::size_t stage) {
    Lane* lane = scarce_lane(stage);
    if (lane == nullptr) {
      return true;
    }
    if (lane->free_workers == 0) {
      lane->waiting.push_back(stage);
      return false;
    }
    --lane->free_workers;
    return true;
  }

  void give_back(std::size_t stage) {
    if (Lane* lane = scarce_lane(stage)) {
      ++lane->free_workers;
    }
  }

  /// The stage that has waited longest on the lane of this one, while a worker is free there; it waits no more.
  [[nodiscard]] std::optional<std::size_t> next_waiting(std::size_t stage) {
    Lane* lane = scarce_lane(stage);
    if (lane == nullptr || lane->free_workers == 0 || lane->waiting.empty()) {
      return std::nullopt;
    }
    const std::size_t next = lane->waiting.front();
    lane->waiting.pop_front();
    return next;
  }

 private:
  struct Lane {
    bool is_scarce = false;
    std::int64_t free_workers = 0;
    std::deque<std::size_t> waiting{};
  };

  [[nodiscard]] Lane* scarce_lane(std::size_t stage) {
    const std::size_t lane = lane_of_[stage];
    return lane < lanes_.size() && lanes_[lane].is_scarce ? &lanes_[lane] : nullptr;
  }

  std::vector<Lane> lanes_;
  std::vector<std::size_t> lane_of_;  // by stage
};

}  // namespace dflash
