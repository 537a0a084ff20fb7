// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/replay_stage.h"

#include <cmath>
#include <numeric>

namespace dflash {

ReplayStage::ReplayStage(const ModelStage& stage, const ModelBuffer* held_by)
    : model{&stage},
      buffer{held_by},
      slots(static_cast<std::size_t>(stage.slots)),
      held(stage.outputs.size()),
      made_at(stage.firings.size()) {
  std::ranges::transform(stage.firings, made_at.begin(),
                         [](const FiringWork& work) { return work.is_on_device ? kNotYet : std::int64_t{0}; });
  seen_at = made_at;
  content.resize(buffer != nullptr ? static_cast<std::size_t>(buffer->inside) : 0);
  record = {.name = stage.name, .lane = stage.lane, .slots = stage.slots};
  for (const std::size_t edge : stage.inputs) {
    record.starved_by.push_back({.edge = edge});
    record.unmade_by.push_back({.edge = edge});
  }
  for (const std::size_t edge : stage.outputs) {
    record.blocked_by.push_back({.edge = edge});
  }
  timeline = {.name = stage.name, .lane = stage.lane, .device = stage.device, .slots = stage.slots};
}

const FiringWork* ReplayStage::work_at(const std::vector<FiringWork>& works, std::size_t place) {
  static const FiringWork none{};
  return works.empty() ? &none : &works[place % works.size()];
}

const FiringWork* ReplayStage::next_work() const {
  const bool is_over = model->inputs.empty() && fires_begun >= model->firings.size();
  return is_over ? nullptr : work_at(model->firings, fires_begun);
}

std::size_t ReplayStage::most_tickets() const { return slots.size() == 1 ? 1 : kTicketsASlot * slots.size(); }

bool ReplayStage::is_holding() const {
  return std::ranges::any_of(held, [](const auto& items) { return !items.empty(); });
}

std::int64_t ReplayStage::scaled(std::int64_t ns) const {
  return model->speed == 1.0 ? ns : std::llround(static_cast<double>(ns) / model->speed);
}

std::int64_t ReplayStage::dispatch_of(const FiringWork& work, const ReplaySlot& slot, std::int64_t ready) const {
  const bool waits = ready > slot.free_since;
  if (work.dispatch_ns >= 0 && work.has_waited == waits) {
    return work.dispatch_ns;
  }
  return waits ? model->wake_ns : model->turn_ns;
}

FiringEvent ReplayStage::begin_busy(ReplaySlot& slot, const Enabler& last, std::int64_t begin) {
  FiringEvent event = last.begins(slot.free_since, begin);
  record.starved_in_ns += event.starved;
  record.blocked_out_ns += event.blocked;
  record.gpu_wait_ns += event.gpu_wait();
  record.dispatch_ns += event.begin - event.ready;
  if (last.kind == Enabler::Kind::kInput) {
    record.starved_by[last.port].ns += event.starved;
    record.unmade_by[last.port].ns += event.gpu_wait();
  } else if (last.kind == Enabler::Kind::kOutput) {
    record.blocked_by[last.port].ns += event.blocked;
  }
  slot.is_busy = true;
  event.slot = &slot - slots.data();
  return event;
}

const ReplayTicket& ReplayStage::end_busy(const FiringEvent& firing) {
  timeline.firings.push_back(firing);
  const std::int64_t body = firing.body_end() - firing.begin;
  record.busy_ns += body + firing.between;
  record.between_ns += firing.between;
  if (firing.number == 0) {
    record.drain_ns += body;
  } else {
    ++record.firings;
    record.service.record(body);
  }
  ReplaySlot& slot = slots[static_cast<std::size_t>(firing.slot)];
  slot.is_busy = false;
  slot.free_since = firing.end;
  ReplayTicket& ticket = *std::ranges::find(tickets, firing.number, &ReplayTicket::number);
  ticket.has_fired = true;
  return ticket;
}

void ReplayStage::begin_pop(ReplayTicket& ticket, bool is_under_way, std::int64_t now) {
  ++pops_begun;
  if (is_under_way) {
    return;
  }
  const BufferedItem item = content.front();
  content.pop_front();
  ticket.popped = item.made;
  buffer_events.push_back({.from_firing = item.put,
                           .to_firing = ticket.number,
                           .pushed = item.since,
                           .popped = now,
                           .bytes = buffer->largest_bytes});
}

DeviceEvent ReplayStage::queue_on_device(ReplaySlot& slot, const ReplayTicket& ticket, const FiringEvent& firing,
                                         std::int64_t made) {
  const std::int64_t begin = std::max({firing.begin, slot.stream_free_at, made});
  const std::int64_t end = std::max(begin + scaled(ticket.work->device_ns), firing.body_end());
  slot.stream_free_at = end;
  slot.in_work.add(firing.begin, firing.body_end());
  slot.in_work.add(begin, end);
  slot.in_work.settle_all_but(2 * kQueuedASlot);  // the body and the work of each firing that is not done
  ++slot.queued;
  made_at.resize(std::max(made_at.size(), ticket.place + 1));
  made_at[ticket.place] = end;
  seen_at.resize(made_at.size());
  seen_at[ticket.place] = end + ticket.work->seen_after_ns;
  return {.number = ticket.number,
          .slot = firing.slot,
          .queued = firing.begin,
          .begin = begin,
          .end = end,
          .seen = seen_at[ticket.place],
          .lag = scaled(ticket.work->lag_ns)};
}

void ReplayStage::note_device(const DeviceEvent& firing, std::int64_t now) {
  timeline.device_firings.push_back(firing);
  ++record.device_firings;
  record.gpu_queue_ns += firing.begin - firing.queued;
  record.gpu_span.record(firing.end - firing.begin);
  record.gpu_lag_ns += firing.lag;
  ReplaySlot& slot = slots[static_cast<std::size_t>(firing.slot)];
  if (slot.queued == kQueuedASlot) {
    slot.room_since = now;
  }
  --slot.queued;
}

void ReplayStage::finish(std::int64_t wall_ns) {
  std::ranges::stable_sort(timeline.device_firings, {}, &DeviceEvent::end);
  for (const ReplaySlot& slot : slots) {
    record.ended_ns += std::max<std::int64_t>(wall_ns - slot.free_since, 0);
    record.gpu_in_work_ns += slot.in_work.covered();
  }
  for (const BufferedItem& item : content) {
    buffer_events.push_back(
        {.from_firing = item.put, .pushed = item.since, .popped = wall_ns, .bytes = buffer->largest_bytes});
  }
}

}  // namespace dflash
