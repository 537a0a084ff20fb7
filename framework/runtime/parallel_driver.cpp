// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/parallel_driver.h"

#include <algorithm>
#include <utility>

namespace dflash {

ParallelDriver::ParallelDriver(const Graph::Vertex& vertex, RunState& run)
    : FiringDriver{vertex, run, static_cast<std::size_t>(vertex.placement.replicas)} {
  for (SlotAccount& account : accounts_) {
    slots_.emplace_back(*this, account);
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
    return send_first();
  }
  const auto idle = std::ranges::find_if(slots_, &Slot::is_idle);
  if (idle == slots_.end() || tickets_.size() >= kTicketsASlot * slots_.size()) {
    return false;
  }
  Enabler last = flushed_;
  switch (look_at_inputs(last)) {
    case Inputs::kMissing:
      return false;
    case Inputs::kEnded:
      return tickets_.empty() && finish_inputs();
    case Inputs::kReady:
      break;
  }
  if (!has_credit(last)) {
    return false;
  }
  assign(static_cast<std::size_t>(idle - slots_.begin()), last);
  return true;
}

bool ParallelDriver::is_quiet() { return std::ranges::all_of(slots_, &Slot::is_idle); }

void ParallelDriver::assign(std::size_t slot, const Enabler& last) {
  const std::int64_t now = run_->now();
  Ticket& ticket = tickets_.emplace_back();
  ticket.number = firings_ + static_cast<std::int64_t>(tickets_.size());
  ticket.last = last;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Item item = pop(i, now);
    Item& taken = ticket.taken.emplace_back();
    taken.seq = item.seq;
    taken.origin = item.origin;
    slots_[slot].firing().set_input(i, std::move(item));
  }
  flushed_ = {};
  slots_[slot].assign(ticket);
  lanes_->post(first_slot_ + slot);
}

void ParallelDriver::Slot::run() noexcept {
  Ticket& ticket = *ticket_.load(std::memory_order_acquire);
  account_->begin_busy(driver_->run_->now(), ticket.last);
  firing_.begin(ticket.number, false);
  const bool failed = !driver_->fire_body(firing_);
  account_->end_busy(driver_->run_->now(), true);
  ticket.staged = std::exchange(firing_.staged(), {});
  firing_.finish(failed);
  // From here on the driver may send the ticket off and give this slot another one, which another thread runs.
  ParallelDriver& driver = *driver_;
  ticket.has_fired.store(true, std::memory_order_release);
  is_idle_.store(true, std::memory_order_release);
  driver.wake();
}

/// Always true: something was done.
bool ParallelDriver::send_first() {
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
  return true;
}

StageRecord ParallelDriver::record(std::int64_t wall_ns) const {
  StageRecord record = FiringDriver::record(wall_ns);
  for (const Slot& slot : slots_) {
    slot.firing().add_to(record);
  }
  return record;
}

}  // namespace dflash
