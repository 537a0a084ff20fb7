// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/slot_account.h"

#include <numeric>

namespace dflash {

void SlotAccount::finish(std::int64_t now, std::int64_t stopped, const Enabler& missing) {
  if (!has_ended_) {
    const std::int64_t until = std::clamp(stopped, free_since_, std::max(free_since_, now));
    charge(missing, until - free_since_);
    ended_since_ = until;
    has_ended_ = true;
  }
  ended_ns_ = std::max<std::int64_t>(now - ended_since_, 0);
}

namespace {

void add_waits(const std::vector<std::int64_t>& by_edge, std::vector<EdgeWait>& waits) {
  for (std::size_t i = waits.size(); i < by_edge.size(); ++i) {
    waits.push_back({.edge = i});
  }
  for (std::size_t i = 0; i < by_edge.size(); ++i) {
    waits[i].ns += by_edge[i];
  }
}

}  // namespace

void SlotAccount::add_to(StageRecord& record) const {
  record.busy_ns += busy_ns_;
  record.drain_ns += drain_ns_;
  record.starved_in_ns += std::accumulate(starved_by_.begin(), starved_by_.end(), std::int64_t{0});
  record.blocked_out_ns += std::accumulate(blocked_by_.begin(), blocked_by_.end(), std::int64_t{0});
  record.dispatch_ns += dispatch_ns_;
  record.gpu_wait_ns += own_device_ns_ + std::accumulate(unmade_by_.begin(), unmade_by_.end(), std::int64_t{0});
  record.ended_ns += ended_ns_;
  record.service.merge(service_);
  add_waits(starved_by_, record.starved_by);
  add_waits(blocked_by_, record.blocked_by);
  add_waits(unmade_by_, record.unmade_by);
}

void SlotAccount::add_to(StageTimeline& timeline, std::int64_t slot) const {
  for (FiringEvent event : events_.oldest_first()) {
    event.slot = slot;
    timeline.firings.push_back(event);
  }
  timeline.lost += events_.lost();
}

}  // namespace dflash
