// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/firing_driver.h"

namespace dflash {

bool FiringDriver::work() {
  Enabler last = flushed_;
  switch (look_at_inputs(last)) {
    case Inputs::kMissing:
    case Inputs::kMaking:
      return false;
    case Inputs::kEnded:
      return finish_inputs();
    case Inputs::kReady:
      break;
  }
  if (inputs_.empty() && !may_start_sources()) {
    return false;
  }
  if (!outbox_.has_credit(last) || !has_slot(last)) {
    return false;
  }
  fire(last);
  return true;
}

FiringDriver::Inputs FiringDriver::look_at_inputs(Enabler& last) {
  if (inputs_.empty()) {
    return slot_.stream_ended() ? Inputs::kEnded : Inputs::kReady;
  }
  Inputs found = Inputs::kReady;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const EdgeQueue::Look look = inputs_[i].edge->look();
    if (look.front == EdgeQueue::Front::kEnded) {
      return Inputs::kEnded;
    }
    if (look.front == EdgeQueue::Front::kEmpty) {
      found = Inputs::kMissing;
    }
    Enabler enabler{.kind = Enabler::Kind::kInput, .port = i, .at = look.since};
    if (look.ready != nullptr && needs_payloads()) {
      if (!is_made(i, look.ready)) {
        found = found == Inputs::kReady ? Inputs::kMaking : found;
      }
      enabler.device_at = look.ready->done_at();
    }
    last.latest(enabler);
  }
  return found;
}

bool FiringDriver::is_made(std::size_t input, const std::shared_ptr<Completion>& ready) {
  making_.resize(inputs_.size());
  if (ready->is_done()) {
    return true;
  }
  if (making_[input] == ready) {
    return false;  // wakes us already
  }
  making_[input] = ready;
  return ready->done_or_wake([this] { wake(); });
}

bool FiringDriver::has_slot(Enabler& last) {
  const DeviceSlot* device = device_slot();
  if (device == nullptr) {
    return true;
  }
  last.latest({.kind = Enabler::Kind::kDevice, .at = device->room_since()});
  return device->has_room();
}

/// No firing can follow once one input has ended; the others are emptied until they have ended too, so that no producer
/// waits. A feedback input ends only after this stage.
bool FiringDriver::finish_inputs() {
  Enabler last = flushed_;
  bool all_ended = true;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    EdgeQueue& edge = *inputs_[i].edge;
    EdgeQueue::Look look = edge.look();
    if (look.front != EdgeQueue::Front::kEnded) {
      const EdgeQueue::Discarded discarded = edge.discard(run_->now());
      if (discarded.wake_producer) {
        inputs_[i].producer->wake();
      }
      worked_off(i, discarded.lost);
      look = edge.look();
    }
    all_ended = all_ended && (look.front == EdgeQueue::Front::kEnded || inputs_[i].is_feedback);
    last.latest({.kind = Enabler::Kind::kInput, .port = i, .at = look.since});
  }
  return all_ended && drain(last);
}

void FiringDriver::fire(const Enabler& last) {
  const std::int64_t begin = run_->now();
  account_.begin_busy(begin, last);
  ++firings_here_;
  ++firings_;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Item item = pop_for(device_slot(), i, firings_, begin);
    origins_.took(i, item);
    if (waits_in_firing_ && item.ready != nullptr) {
      item.ready->wait();
    }
    slot_.set_input(i, std::move(item));
  }
  slot_.begin(firings_, false);
  const bool failed = !body_.fire(slot_, device_slot());
  const std::int64_t end = run_->now();
  slot_.finish(failed);
  account_.end_busy(end, firings_, slot_.due_step() > 0);
  flushed_ = {};
  commit(slot_.staged(), end);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    worked_off(i, 1);
  }
}

Enabler FiringDriver::missing() {
  const DeviceSlot* device = device_slot();
  if (device != nullptr && !device->has_room()) {
    return {.kind = Enabler::Kind::kDevice};
  }
  if (const auto held = outbox_.first_held()) {
    return {.kind = Enabler::Kind::kOutput, .port = *held};
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const EdgeQueue::Look look = inputs_[i].edge->look();
    const bool is_unmade = look.ready != nullptr && needs_payloads() && !look.ready->is_done();
    if (look.front == EdgeQueue::Front::kEmpty || is_unmade) {
      return {.kind = Enabler::Kind::kInput, .port = i};
    }
  }
  if (const auto full = outbox_.first_without_credit()) {
    return {.kind = Enabler::Kind::kOutput, .port = *full};
  }
  return {};
}

}  // namespace dflash
