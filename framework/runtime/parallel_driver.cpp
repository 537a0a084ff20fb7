// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/parallel_driver.h"

#include <algorithm>
#include <utility>

#include "framework/core/run_ahead.h"

namespace dflash {

ParallelDriver::ParallelDriver(const Graph::Vertex& vertex, RunState& run, RunDevices::Device* device)
    : FiringDriver{vertex, run, device, static_cast<std::size_t>(vertex.placement.replicas)} {
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    slots_.emplace_back(*this, accounts_[i], device_slots_.empty() ? nullptr : &device_slots_[i]);
  }
}

void ParallelDriver::place(Lanes& lanes, std::size_t position) {
  FiringDriver::place(lanes, position);
  first_slot_ = lanes.first_slot(position);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    lanes.attach(first_slot_ + i, slots_[i]);
  }
}

bool ParallelDriver::work() {
  if (!tickets_.empty() && tickets_.front().has_fired.load(std::memory_order_acquire)) {
    send_first();
    return true;
  }
  return FiringDriver::work();
}

bool ParallelDriver::has_slot(Enabler&) {
  return tickets_.size() < kTicketsASlot * slots_.size() && std::ranges::any_of(slots_, &Slot::may_fire);
}

bool ParallelDriver::finish_inputs() { return tickets_.empty() && FiringDriver::finish_inputs(); }

bool ParallelDriver::is_quiet() { return std::ranges::all_of(slots_, &Slot::is_idle); }

void ParallelDriver::fire(const Enabler& last) {
  const std::int64_t now = run_->now();
  const auto slot = next_slot(slots_, &Slot::queued);
  Ticket& ticket = tickets_.emplace_back();
  ticket.number = firings_ + static_cast<std::int64_t>(tickets_.size());
  ticket.last = last;
  if (slot->device() != nullptr) {
    ticket.last.latest({.kind = Enabler::Kind::kDevice, .at = slot->device()->room_since()});
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Item item = pop_for(slot->device(), i, ticket.number, now);
    Item& taken = ticket.taken.emplace_back();
    taken.seq = item.seq;
    taken.origin = item.origin;
    slot->firing().set_input(i, std::move(item));
  }
  flushed_ = {};
  slot->assign(ticket);
  lanes_->post(first_slot_ + static_cast<std::size_t>(slot - slots_.begin()));
}

void ParallelDriver::Slot::run() noexcept {
  Ticket& ticket = *ticket_.load(std::memory_order_acquire);
  account_->begin_busy(driver_->run_->now(), ticket.last);
  firing_.begin(ticket.number, false);
  const bool failed = !driver_->body_.fire(firing_, device_);
  account_->end_busy(driver_->run_->now(), ticket.number);
  ticket.staged = std::exchange(firing_.staged(), {});
  firing_.finish(failed);
  // From here on the driver may send the ticket off and give this slot another one, which another thread runs.
  ParallelDriver& driver = *driver_;
  ticket.has_fired.store(true, std::memory_order_release);
  is_idle_.store(true, std::memory_order_release);
  driver.wake();
}

void ParallelDriver::send_first() {
  Ticket& ticket = tickets_.front();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    origins_.took(i, ticket.taken[i]);
  }
  firings_ = ticket.number;
  ++firings_here_;
  commit(ticket.staged, run_->now());
  tickets_.pop_front();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    worked_off(i, 1);
  }
}

StageRecord ParallelDriver::record(std::int64_t wall_ns) const {
  StageRecord record = FiringDriver::record(wall_ns);
  for (const Slot& slot : slots_) {
    slot.firing().add_to(record);
  }
  return record;
}

StageTimeline ParallelDriver::timeline() const {
  StageTimeline timeline = FiringDriver::timeline();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].firing().add_to(timeline, static_cast<std::int64_t>(i));
  }
  return timeline;
}

}  // namespace dflash
