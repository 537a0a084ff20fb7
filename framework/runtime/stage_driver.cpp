// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stage_driver.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "framework/core/error.h"

namespace dflash {

StageDriver::StageDriver(const Graph::Vertex& vertex, RunState& run, RunDevices::Device* device, std::size_t slots)
    : vertex_{&vertex},
      run_{&run},
      origins_{vertex.name, *vertex.stage},
      slot_{vertex, run, origins_},
      accounts_(slots),
      account_{accounts_.front()},
      body_{vertex, run},
      outbox_{*this, run, vertex.stage->outputs().size()} {
  for (std::size_t i = 0; device != nullptr && i < slots; ++i) {
    device_slots_.emplace_back(vertex.name, *device, [this] { wake(); });
  }
  slot_.use(device_slot());
}

void StageDriver::add_input(EdgeQueue& edge, std::size_t index, StageDriver& producer, bool is_feedback) {
  inputs_.push_back({.edge = &edge, .index = index, .producer = &producer, .is_feedback = is_feedback});
}

void StageDriver::add_output(EdgeQueue& edge, std::size_t index, const OutputPort& port, StageDriver& consumer) {
  outbox_.add(edge, index, port, consumer);
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
  outbox_.set_delivered(position.delivered);
}

void StageDriver::start(std::int64_t now) {
  for (SlotAccount& account : accounts_) {
    account.start(now, inputs_.size(), outbox_.size());
  }
}

LiveStage StageDriver::live(std::int64_t now) const {
  LiveStage stage{.name = vertex_->name, .type = vertex_->info.type};
  stage.slots = static_cast<std::int64_t>(accounts_.size());
  for (const SlotAccount& account : accounts_) {
    account.add_to(stage, now);
  }
  const bool has_room = device_slots_.empty() || std::ranges::any_of(device_slots_, &DeviceSlot::has_room);
  stage.lacks = has_room || stage.waiting_slots == 0 ? Lack::kNothing : Lack::kDevice;
  return stage;
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
  if (outbox_.is_holding() && !outbox_.flush(flushed_)) {
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
  account_.begin_busy(begin, outbox_.size() == 0 ? Enabler{} : Enabler{.kind = Enabler::Kind::kOutput, .at = begin});
  DeviceSlot* device = device_slot();
  if (device != nullptr) {
    device->enter();
  }
  try {
    slot_.complete_due_step();
  } catch (...) {
    run_->fail_with_current_exception(vertex_->name, "between steps", firings_);
  }
  if (device != nullptr) {
    device->leave();
  }
  const std::int64_t end = run_->now();
  slot_.note_span(FiringSlot::kBetweenSteps, begin, end);
  account_.end_between(end);
  return true;
}

void StageDriver::halt() {
  if (outbox_.is_holding() && !outbox_.flush_behind_steps(flushed_)) {
    return;
  }
  const std::int64_t now = run_->now();
  outbox_.end_behind_steps(now);
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
  account_.end(now, flushed_);
  has_ended_ = true;
  outbox_.end(now);
}

Item StageDriver::pop(std::size_t input, std::int64_t firing, std::int64_t now) {
  EdgeQueue::Popped popped = inputs_[input].edge->pop(now, firing);
  if (popped.wake_producer) {
    inputs_[input].producer->wake();
  }
  return std::move(popped.item);
}

Item StageDriver::pop_for(DeviceSlot* device, std::size_t input, std::int64_t firing, std::int64_t now) {
  if (device == nullptr) {
    return pop(input, firing, now);
  }
  const InputLink& link = inputs_[input];
  Item item = link.edge->pop(now, firing, EdgeQueue::Place::kKept).item;
  device->keep(item, [edge = link.edge, producer = link.producer, run = run_](std::int64_t bytes) {
    if (edge->free_place(bytes, run->now())) {
      producer->wake();
    }
  });
  return item;
}

void StageDriver::commit(std::vector<StagedItem>& staged, std::int64_t now) {
  for (StagedItem& item : staged) {
    item.item.seq = slot_.next_seq()[item.port]++;
    item.item.from_firing = is_drained_ ? 0 : firings_;
  }
  origins_.mark(staged, firings_, slot_.next_seq());
  try {
    for (StagedItem& item : staged) {
      outbox_.send(item, now);
    }
  } catch (...) {
    run_->fail_with_current_exception(vertex_->name, "emit", firings_);
  }
  staged.clear();
}

bool StageDriver::drain(const Enabler& last) {
  const std::int64_t begin = run_->now();
  account_.begin_busy(begin, last);
  for (std::size_t i = 1; i < accounts_.size(); ++i) {
    accounts_[i].end(last.complete_at(), last);  // could not fire any more from then on; the first slot drains
  }
  slot_.begin(firings_, true);
  const bool failed = !body_.drain(slot_, device_slot());
  const std::int64_t end = run_->now();
  slot_.finish(failed);
  account_.end_busy(end, 0, slot_.due_step() > 0);
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
      return &outbox_.consumer(cause.port);
    case Enabler::Kind::kDevice:
    case Enabler::Kind::kNothing:
      break;
  }
  return nullptr;
}

std::string StageDriver::waits_for() {
  const Enabler cause = missing();
  if (cause.kind == Enabler::Kind::kOutput) {
    EdgeQueue& edge = outbox_.edge(cause.port);
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
  outbox_.abandon(edges);
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
    wait.edge = outbox_.index(wait.edge);
  }
  return record;
}

StageTimeline StageDriver::timeline() const {
  StageTimeline timeline{.name = vertex_->name, .slots = static_cast<std::int64_t>(accounts_.size())};
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    accounts_[i].add_to(timeline, static_cast<std::int64_t>(i));
  }
  slot_.add_to(timeline, 0);
  if (!device_slots_.empty()) {
    timeline.device = device_slots_.front().device();
  }
  for (std::size_t i = 0; i < device_slots_.size(); ++i) {
    device_slots_[i].add_to(timeline, static_cast<std::int64_t>(i));
  }
  return timeline;
}

}  // namespace dflash
