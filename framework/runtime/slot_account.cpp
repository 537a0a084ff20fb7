// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/slot_account.h"

namespace dflash {

void SlotAccount::finish(std::int64_t now, std::int64_t stopped, const Enabler& missing) {
  if (!has_ended_) {
    const std::int64_t until = std::clamp(stopped, free_since_, std::max(free_since_, now));
    charge(missing, Enabler{.kind = missing.kind, .port = missing.port, .at = until}.begins(free_since_, until));
    ended_since_ = until;
    has_ended_ = true;
  }
  ended_ns_ = std::max<std::int64_t>(now - ended_since_, 0);
  tell(0);
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
  record.busy_ns += sums_.busy_ns;
  record.drain_ns += drain_ns_;
  record.between_ns += between_ns_;
  record.starved_in_ns += sums_.starved_ns;
  record.blocked_out_ns += sums_.blocked_ns;
  record.dispatch_ns += sums_.dispatch_ns;
  record.gpu_wait_ns += sums_.gpu_wait_ns;
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
  timeline.note_lost(events_);
}

void SlotAccount::add_to(LiveStage& stage, std::int64_t now) const {
  const SlotFigures slot = live_.read();
  stage.firings += slot.firings;
  stage.busy_ns += slot.busy_ns;
  stage.blocked_ns += slot.blocked_ns;
  stage.starved_ns += slot.starved_ns;
  stage.gpu_wait_ns += slot.gpu_wait_ns;
  stage.dispatch_ns += slot.dispatch_ns;
  if (slot.since > 0) {
    const std::int64_t lasts = std::max<std::int64_t>(now - slot.since, 0);
    stage.busy_ns += lasts;
    stage.longest_ns = std::max(stage.longest_ns, lasts);
    ++stage.firing_slots;
  } else if (slot.since < 0) {
    stage.waiting_ns += std::max<std::int64_t>(now + slot.since, 0);
    ++stage.waiting_slots;
  }
}

}  // namespace dflash
