// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/replay_network.h"

#include <algorithm>
#include <utility>

namespace dflash {

ReplayNetwork::ReplayNetwork(const PipelineModel& model) : model_{&model}, is_woken_(model.stages.size()) {
  for (const ModelEdge& edge : model.edges) {
    edges_.emplace_back(edge);
  }
  for (std::size_t i = 0; i < model.stages.size(); ++i) {
    stages_.emplace_back(model.stages[i], model.buffer_of(i));
    for (const FiringWork& work : model.stages[i].firings) {
      if (!work.is_on_device || work.has_inputs) {
        continue;
      }
      for (const std::size_t e : model.stages[i].inputs) {
        edges_[e].hold_place();
      }
    }
  }
}

void ReplayNetwork::wake(std::size_t i) {
  if (!is_woken_[i]) {
    is_woken_[i] = true;
    woken_.push_back(i);
  }
}

void ReplayNetwork::wake_all() {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    wake(i);
  }
}

std::optional<std::size_t> ReplayNetwork::next_woken() {
  if (woken_.empty()) {
    return std::nullopt;
  }
  const std::size_t i = woken_.front();
  woken_.pop_front();
  is_woken_[i] = false;
  return i;
}

bool ReplayNetwork::deliver(std::size_t i, std::int64_t now) {
  ReplayStage& stage = stages_[i];
  for (std::size_t output = 0; output < stage.held.size(); ++output) {
    flush(i, output, now);
  }
  if (stage.is_holding() || stage.tickets.empty() || !stage.tickets.front().has_fired) {
    return false;
  }
  const ReplayTicket ticket = stage.tickets.front();
  stage.tickets.pop_front();
  ReplayItem item{.from_firing = ticket.number, .made = ticket.popped};
  if (ticket.work->is_on_device) {
    item.made = {.stage = i, .firing = ticket.place};
  }
  for (std::size_t output = 0; output < ticket.work->emitted.size(); ++output) {
    stage.held[output].insert(stage.held[output].end(), static_cast<std::size_t>(ticket.work->emitted[output]), item);
    flush(i, output, now);
  }
  stage.flushed = {};  // it was the firing's own time so far
  return true;
}

/// As far as there is room.
void ReplayNetwork::flush(std::size_t i, std::size_t output, std::int64_t now) {
  ReplayStage& stage = stages_[i];
  std::deque<ReplayItem>& held = stage.held[output];
  const std::size_t e = model_->stages[i].outputs[output];
  bool any_gone = false;
  while (!held.empty() && edges_[e].push(held.front(), now)) {
    held.pop_front();
    any_gone = true;
  }
  if (any_gone) {
    stage.flushed.latest({.kind = Enabler::Kind::kOutput, .port = output, .at = edges_[e].credit_since()});
    wake(model_->edges[e].to);
  }
}

std::int64_t ReplayNetwork::made_at(const MadeBy& made) const {
  return made.firing == kNoFiring ? 0 : stages_[made.stage].made_at[made.firing];
}

std::optional<ReplayStart> ReplayNetwork::next_start(std::size_t i, std::int64_t now) const {
  const ReplayStage& stage = stages_[i];
  const auto slot = next_slot(stage.slots, &ReplaySlot::queued);
  if (slot == stage.slots.end() || stage.tickets.size() >= stage.most_tickets()) {
    return std::nullopt;
  }
  if (stage.is_under_way()) {
    return ReplayStart{.work = stage.next_work(), .is_under_way = true, .last = {}};
  }
  if (stage.buffer != nullptr) {
    return next_of_buffer(stage);
  }
  ReplayStart start{.work = stage.next_work(), .last = stage.flushed};
  if (start.work == nullptr || !look_at_inputs(stage, now, start.last) || !has_credit(stage, start.last)) {
    return std::nullopt;
  }
  if (!stage.model->device.empty()) {
    start.last.latest({.kind = Enabler::Kind::kDevice, .at = slot->room_since});
  }
  return start;
}

bool ReplayNetwork::look_at_inputs(const ReplayStage& stage, std::int64_t now, Enabler& last) const {
  const bool needs_payloads = stage.model->device.empty() && !stage.model->waits_in_firing;
  for (std::size_t input = 0; input < stage.model->inputs.size(); ++input) {
    const ReplayEdge& edge = edges_[stage.model->inputs[input]];
    if (edge.is_empty()) {
      return false;
    }
    const MadeBy& made = edge.front().made;
    const bool is_on_device = needs_payloads && made.firing != kNoFiring;
    const std::int64_t seen = is_on_device ? stages_[made.stage].seen_at[made.firing] : 0;
    if (seen > now) {
      return false;
    }
    last.latest({.kind = Enabler::Kind::kInput, .port = input, .at = edge.front().pushed, .device_at = seen});
  }
  return true;
}

bool ReplayNetwork::has_credit(const ReplayStage& stage, Enabler& last) const {
  for (std::size_t output = 0; output < stage.model->outputs.size(); ++output) {
    const ReplayEdge& edge = edges_[stage.model->outputs[output]];
    if (!edge.has_credit()) {
      return false;
    }
    last.latest({.kind = Enabler::Kind::kOutput, .port = output, .at = edge.credit_since()});
  }
  return true;
}

/// Popping goes first.
std::optional<ReplayStart> ReplayNetwork::next_of_buffer(const ReplayStage& stage) const {
  using enum ReplayTicket::What;
  if (stage.is_pop_under_way()) {
    return ReplayStart{.what = kPop, .work = stage.next_pop(), .is_under_way = true, .last = {}};
  }
  const ReplayEdge& input = edges_[stage.model->inputs.front()];
  const std::int64_t size = std::ssize(stage.content);
  const bool has_room = size < stage.buffer->capacity_items;
  const bool is_ready = size > 0 && (size >= stage.buffer->min_ready || input.is_over() || !has_room);
  Enabler last = stage.flushed;
  if (is_ready && has_credit(stage, last)) {
    return ReplayStart{.what = kPop, .work = stage.next_pop(), .last = last};
  }
  if (input.is_empty() || !has_room) {
    return std::nullopt;
  }
  const auto kind = is_ready ? Enabler::Kind::kOutput : Enabler::Kind::kInput;
  return ReplayStart{.work = stage.next_work(), .last = {.kind = kind, .port = 0, .at = input.front().pushed}};
}

std::int64_t ReplayNetwork::take_inputs(std::size_t i, const ReplayTicket& ticket, std::int64_t now) {
  ReplayStage& stage = stages_[i];
  std::int64_t made = 0;
  for (const std::size_t e : stage.model->inputs) {
    const ReplayItem item = edges_[e].pop(now, ticket.number, ticket.work->is_on_device);
    wake(model_->edges[e].from);
    const std::int64_t item_made = made_at(item.made);
    made = std::max(made, item_made == ReplayStage::kNotYet ? now : item_made);
    if (stage.buffer != nullptr) {
      stage.content.push_back({.made = item.made, .put = ticket.number, .since = now});
    }
  }
  return made;
}

void ReplayNetwork::free_places(std::size_t i, std::int64_t now) {
  for (const std::size_t e : model_->stages[i].inputs) {
    edges_[e].free_place(now);
  }
}

bool ReplayNetwork::has_no_more(std::size_t i, std::int64_t now) {
  const ReplayStage& stage = stages_[i];
  const ModelStage& model = *stage.model;
  if (!stage.tickets.empty() || !stage.content.empty()) {
    return false;
  }
  if (model.inputs.empty()) {
    return model.ends && stage.next_work() == nullptr;
  }
  if (std::ranges::none_of(model.inputs, [&](std::size_t e) { return edges_[e].is_over(); })) {
    return false;
  }
  bool all_over = true;
  for (const std::size_t e : model.inputs) {
    if (!edges_[e].is_over()) {
      edges_[e].discard(now);
      wake(model_->edges[e].from);
    }
    all_over = all_over && (edges_[e].is_over() || model_->edges[e].is_feedback);
  }
  return all_over;
}

void ReplayNetwork::end_outputs(std::size_t i, std::int64_t now) {
  stages_[i].has_ended = true;
  for (const std::size_t e : model_->stages[i].outputs) {
    edges_[e].end(now);
    wake(model_->edges[e].to);
  }
}

void ReplayNetwork::halt(std::size_t i, std::int64_t now) {
  stages_[i].has_ended = true;
  for (const std::size_t e : model_->stages[i].outputs) {
    if (stages_[model_->edges[e].to].model->is_after_steps) {
      edges_[e].end(now);
      wake(model_->edges[e].to);
    }
  }
  for (const std::size_t e : model_->stages[i].inputs) {
    if (stages_[model_->edges[e].from].model->is_after_steps) {
      edges_[e].discard(now);
      wake(model_->edges[e].from);
    }
  }
}

}  // namespace dflash
