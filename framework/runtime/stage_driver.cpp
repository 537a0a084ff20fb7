// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stage_driver.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "framework/core/error.h"
#include "framework/runtime/buffer_driver.h"
#include "framework/runtime/firing_driver.h"
#include "framework/runtime/parallel_driver.h"

namespace dflash {

StageDriver::StageDriver(const Graph::Vertex& vertex, RunState& run, RunDevices::Device* device, std::size_t slots)
    : vertex_{&vertex},
      run_{&run},
      origins_{vertex.name, *vertex.stage},
      slot_{vertex, run, origins_},
      accounts_(slots),
      account_{accounts_.front()},
      links_of_port_(vertex.stage->outputs().size()),
      first_delivered_(vertex.stage->outputs().size()) {
  if (vertex.placement.inject) {
    planted_.emplace(*vertex.placement.inject, run);
  }
  for (std::size_t i = 0; device != nullptr && i < slots; ++i) {
    device_slots_.emplace_back(vertex.name, *device, [this] { wake(); });
  }
}

void StageDriver::add_input(EdgeQueue& edge, std::size_t index, StageDriver& producer, bool is_feedback) {
  inputs_.push_back({.edge = &edge, .index = index, .producer = &producer, .is_feedback = is_feedback});
}

void StageDriver::add_output(EdgeQueue& edge, std::size_t index, const OutputPort& port, StageDriver& consumer) {
  links_of_port_[port.index()].push_back(outputs_.size());
  outputs_.push_back({.edge = &edge, .index = index, .consumer = &consumer, .held = {}});
}

void StageDriver::place(Lanes& lanes, std::size_t position) {
  lanes_ = &lanes;
  position_ = position;
  burst_ = lanes.burst(position);
  for (DeviceSlot& slot : device_slots_) {
    slot.place(lanes);
  }
}

void StageDriver::resume(const StagePosition& position) {
  firings_ = position.firings;
  slot_.next_seq() = position.outputs;
  first_delivered_ = position.delivered;
}

void StageDriver::start(std::int64_t now) {
  for (SlotAccount& account : accounts_) {
    account.start(now, inputs_.size(), outputs_.size());
  }
}

std::int64_t StageDriver::firing_since() const {
  std::int64_t earliest = 0;
  for (const SlotAccount& account : accounts_) {
    const std::int64_t since = account.firing_since();
    earliest = since > 0 && (earliest == 0 || since < earliest) ? since : earliest;
  }
  return earliest;
}

std::int64_t StageDriver::live_busy(std::int64_t now) const {
  std::int64_t sum = 0;
  for (const SlotAccount& account : accounts_) {
    sum += account.live_busy(now);
  }
  return sum / static_cast<std::int64_t>(accounts_.size());
}

void StageDriver::run() noexcept {
  try {
    int left = burst_;
    do {
      wake_state_.begin();
    } while (work_off(left) && !wake_state_.try_leave());
  } catch (...) {
    run_->fail_with_current_exception(vertex_->name, "run", 0);
  }
}

bool StageDriver::work_off(int& left) {
  while (advance()) {
    if (--left == 0) {
      wake_state_.yield();
      lanes_->post(position_);
      return false;
    }
  }
  return true;
}

bool StageDriver::advance() {
  const RunState::Phase phase = run_->phase();
  if (has_ended_ || phase == RunState::Phase::kAborted) {
    return false;
  }
  if (phase == RunState::Phase::kFinishing && !is_after_steps_) {
    if (is_quiet()) {
      halt();
    }
    return false;
  }
  if (is_holding_ && !flush()) {
    return false;
  }
  if (slot_.due_step() > 0) {
    return complete_due_step();
  }
  if (is_drained_) {
    end_outputs();
    return false;
  }
  return work();
}

bool StageDriver::complete_due_step() {
  if (!run_->try_settle()) {
    return false;
  }
  const std::int64_t begin = run_->now();
  // Until now the stage waited for those behind it, as it does for room.
  account_.begin_busy(begin, outputs_.empty() ? Enabler{} : Enabler{.kind = Enabler::Kind::kOutput, .at = begin});
  DeviceSlot* device = device_slot();
  if (device != nullptr) {
    device->enter();
  }
  try {
    slot_.complete_due_step();
  } catch (...) {
    fail("between steps", firings_);
  }
  if (device != nullptr) {
    device->leave();
  }
  account_.end_busy(run_->now(), true);
  return true;
}

void StageDriver::halt() {
  if (vertex_->info.drives_steps && is_holding_ && !flush()) {
    return;
  }
  const std::int64_t now = run_->now();
  for (OutputLink& link : outputs_) {
    if (link.consumer->is_after_steps_ && link.edge->end(now)) {
      link.consumer->wake();
    }
  }
  for (InputLink& link : inputs_) {
    if (link.producer->is_after_steps_ && link.edge->discard(now).wake_producer) {
      link.producer->wake();
    }
  }
  const Enabler cause = missing();
  for (SlotAccount& account : accounts_) {
    account.finish(now, run_->left_running_at(), cause);
  }
  has_ended_ = true;
}

void StageDriver::end_outputs() {
  const std::int64_t now = run_->now();
  for (SlotAccount& account : accounts_) {
    account.end(now, flushed_);
  }
  has_ended_ = true;
  for (OutputLink& link : outputs_) {
    if (link.edge->end(now)) {
      link.consumer->wake();
    }
  }
}

bool StageDriver::flush() {
  const std::int64_t now = run_->now();
  bool all_gone = true;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    OutputLink& link = outputs_[i];
    std::size_t gone = 0;
    for (; gone < link.held.size(); ++gone) {
      const EdgeQueue::Pushed pushed = push(link, link.held[gone], now);
      if (!pushed.accepted) {
        break;
      }
      flushed_.latest({.kind = Enabler::Kind::kOutput, .port = i, .at = pushed.credit_since});
    }
    link.held.erase(link.held.begin(), link.held.begin() + static_cast<std::ptrdiff_t>(gone));
    all_gone = all_gone && link.held.empty();
  }
  is_holding_ = !all_gone;
  return all_gone;
}

bool StageDriver::has_credit(Enabler& last) {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const EdgeQueue::Credit credit = outputs_[i].edge->credit();
    if (!credit.available) {
      return false;
    }
    last.latest({.kind = Enabler::Kind::kOutput, .port = i, .at = credit.since});
  }
  return true;
}

Item StageDriver::pop(std::size_t input, std::int64_t now) {
  EdgeQueue::Popped popped = inputs_[input].edge->pop(now);
  if (popped.wake_producer) {
    inputs_[input].producer->wake();
  }
  return std::move(popped.item);
}

Item StageDriver::pop_for(DeviceSlot* device, std::size_t input, std::int64_t now) {
  if (device == nullptr) {
    return pop(input, now);
  }
  const InputLink& link = inputs_[input];
  Item item = link.edge->pop(now, EdgeQueue::Place::kKept).item;
  device->keep(item, [edge = link.edge, producer = link.producer, run = run_](std::int64_t bytes) {
    if (edge->free_place(bytes, run->now())) {
      producer->wake();
    }
  });
  return item;
}

void StageDriver::run_body(FiringSlot& slot, DeviceSlot* device, std::int64_t attempt) {
  if (device != nullptr && attempt == 0) {
    device->begin(slot.number());
  }
  if (planted_) {
    planted_->before(slot.number(), attempt);
    if (device != nullptr) {
      device->sleep(planted_->device_delay(slot.number()));
    }
  }
  stage().fire(slot);
  if (planted_) {
    planted_->after(slot.number(), slot.staged());
  }
  if (device != nullptr) {
    device->end(slot.staged());
  }
}

bool StageDriver::fire_body(FiringSlot& slot, DeviceSlot* device) {
  if (slot.has_tombstone()) {
    slot.count("tombstones", 1);
    if (vertex_->info.stateless) {
      slot.stage_tombstones();
    }
    return device == nullptr || device->abandon();
  }
  if (vertex_->placement.on_error.retry > 0) {
    slot.keep_inputs();
  }
  for (std::int64_t attempt = 0;; ++attempt) {
    try {
      run_body(slot, device, attempt);
      return true;
    } catch (...) {
      const ErrorPolicy& policy = vertex_->placement.on_error;
      if (attempt < policy.retry) {
        slot.rewind();
        slot.count("retried", 1);
        continue;
      }
      const bool is_own = device == nullptr || device->abandon();
      if (policy.skip && is_own) {
        slot.stage_tombstones();
        slot.count("skipped", 1);
        return true;
      }
      fail("fire", slot.number(), is_own);
      return false;
    }
  }
}

void StageDriver::fail(const std::string& doing, std::int64_t firing, bool is_own) {
  if (is_own) {
    run_->fail_with_current_exception(vertex_->name, doing, firing);
  }
}

void StageDriver::commit(std::vector<StagedItem>& staged, std::int64_t now) {
  for (StagedItem& item : staged) {
    item.item.seq = slot_.next_seq()[item.port]++;
  }
  origins_.mark(staged, firings_, slot_.next_seq());
  try {
    for (StagedItem& item : staged) {
      if (item.item.seq >= first_delivered_[item.port]) {
        send_all(item, now);
      }
    }
  } catch (...) {
    run_->fail_with_current_exception(vertex_->name, "emit", firings_);
  }
  staged.clear();
}

void StageDriver::send_all(StagedItem& staged, std::int64_t now) {
  const std::vector<std::size_t>& links = links_of_port_[staged.port];
  for (std::size_t i = 0; i < links.size(); ++i) {
    send(outputs_[links[i]], i + 1 < links.size() ? staged.item.share() : std::move(staged.item), now);
  }
}

void StageDriver::send(OutputLink& link, Item item, std::int64_t now) {
  if (goes_behind(link)) {
    run_->add_behind(1);
  }
  if (!link.held.empty() || !push(link, item, now).accepted) {
    link.held.push_back(std::move(item));
    is_holding_ = true;
  }
}

EdgeQueue::Pushed StageDriver::push(OutputLink& link, Item& item, std::int64_t now) {
  const EdgeQueue::Pushed pushed = link.edge->try_push(item, now);
  if (pushed.wake_consumer) {
    link.consumer->wake();
  }
  if (goes_behind(link) && pushed.lost > 0) {
    run_->remove_behind(pushed.lost);
  }
  if (pushed.overflowed) {
    throw std::runtime_error(fmt::format("edge '{}' is full ({} of {} items), which its when_full calls an error",
                                         link.edge->name(), link.edge->size(), link.edge->capacity().items));
  }
  return pushed;
}

bool StageDriver::drain(const Enabler& last) {
  const std::int64_t begin = run_->now();
  account_.begin_busy(begin, last);
  slot_.begin(firings_, true);
  DeviceSlot* device = device_slot();
  bool failed = false;
  try {
    if (device != nullptr) {
      device->begin(0);
    }
    stage().drain(slot_);
    if (device != nullptr) {
      device->end(slot_.staged());
    }
  } catch (...) {
    failed = true;
    fail("drain", 0, device == nullptr || device->abandon());
  }
  const std::int64_t end = run_->now();
  account_.end_busy(end, false);
  slot_.finish(failed);
  is_drained_ = true;
  flushed_ = {};
  commit(slot_.staged(), end);
  return true;
}

StageDriver* StageDriver::waits_on() {
  const Enabler cause = missing();
  switch (cause.kind) {
    case Enabler::Kind::kInput:
      return inputs_[cause.port].producer;
    case Enabler::Kind::kOutput:
      return outputs_[cause.port].consumer;
    case Enabler::Kind::kDevice:
    case Enabler::Kind::kNothing:
      break;
  }
  return nullptr;
}

std::string StageDriver::waits_for() {
  const Enabler cause = missing();
  if (cause.kind == Enabler::Kind::kOutput) {
    EdgeQueue& edge = *outputs_[cause.port].edge;
    return fmt::format("room on edge '{}' ({} of {} items)", edge.name(), edge.size(), edge.capacity().items);
  }
  if (cause.kind == Enabler::Kind::kDevice) {
    return "its device";
  }
  if (cause.kind == Enabler::Kind::kInput) {
    return fmt::format("an item on edge '{}'", inputs_[cause.port].edge->name());
  }
  return "nothing that any other stage could give";
}

void StageDriver::finish(std::int64_t now, std::vector<EdgeRecord>& edges) {
  const std::int64_t left_running = run_->left_running_at();
  const std::int64_t stopped = has_ended_ || left_running == 0 ? now : left_running;
  const Enabler cause = has_ended_ ? Enabler{} : missing();
  for (SlotAccount& account : accounts_) {
    account.finish(now, stopped, cause);
  }
  for (OutputLink& link : outputs_) {
    const auto held = static_cast<std::int64_t>(link.held.size());
    edges[link.index].items += held;
    edges[link.index].abandoned += held;
  }
}

StageRecord StageDriver::record(std::int64_t wall_ns) const {
  StageRecord record;
  record.name = vertex_->name;
  record.type = vertex_->info.type;
  record.firings = firings_here_;
  record.slots = static_cast<std::int64_t>(accounts_.size());
  for (const SlotAccount& account : accounts_) {
    account.add_to(record);
  }
  record.unaccounted_ns = record.slots * wall_ns - (record.busy_ns + record.starved_in_ns + record.blocked_out_ns +
                                                    record.gpu_wait_ns + record.dispatch_ns + record.ended_ns);
  slot_.add_to(record);
  for (const DeviceSlot& slot : device_slots_) {
    slot.add_to(record);
  }
  for (EdgeWait& wait : record.starved_by) {
    wait.edge = inputs_[wait.edge].index;
  }
  for (EdgeWait& wait : record.unmade_by) {
    wait.edge = inputs_[wait.edge].index;
  }
  for (EdgeWait& wait : record.blocked_by) {
    wait.edge = outputs_[wait.edge].index;
  }
  return record;
}

std::unique_ptr<StageDriver> make_driver(const Graph::Vertex& vertex, RunState& run, RunDevices::Device* device) {
  if (dynamic_cast<Buffer*>(vertex.stage.get()) != nullptr) {
    return std::make_unique<BufferDriver>(vertex, run);
  }
  if (vertex.placement.replicas > 1) {
    return std::make_unique<ParallelDriver>(vertex, run, device);
  }
  return std::make_unique<FiringDriver>(vertex, run, device);
}

}  // namespace dflash
