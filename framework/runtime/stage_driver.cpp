// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stage_driver.h"

#include <algorithm>
#include <utility>

#include "framework/core/error.h"
#include "framework/runtime/buffer_driver.h"
#include "framework/runtime/firing_driver.h"

namespace dflash {

StageDriver::StageDriver(const Graph::Vertex& vertex, RunState& run)
    : vertex_{&vertex},
      run_{&run},
      origins_{vertex.name, *vertex.stage},
      slot_{vertex, run, origins_},
      links_of_port_(vertex.stage->outputs().size()),
      first_delivered_(vertex.stage->outputs().size()) {
  if (vertex.placement.inject) {
    planted_.emplace(*vertex.placement.inject, run);
  }
}

void StageDriver::add_input(EdgeQueue& edge, std::size_t index, StageDriver& producer) {
  inputs_.push_back({.edge = &edge, .index = index, .producer = &producer});
}

void StageDriver::add_output(EdgeQueue& edge, std::size_t index, const OutputPort& port, StageDriver& consumer) {
  links_of_port_[port.index()].push_back(outputs_.size());
  outputs_.push_back({.edge = &edge, .index = index, .consumer = &consumer, .held = {}});
}

void StageDriver::place(Lanes& lanes, std::size_t position) {
  lanes_ = &lanes;
  position_ = position;
  burst_ = lanes.burst(position);
}

void StageDriver::resume(const StagePosition& position) {
  firings_ = position.firings;
  slot_.next_seq() = position.outputs;
  first_delivered_ = position.delivered;
}

void StageDriver::start(std::int64_t now) { account_.start(now, inputs_.size(), outputs_.size()); }

void StageDriver::run() noexcept {
  try {
    int left = burst_;
    do {
      wake_state_.begin();
      while (advance()) {
        if (--left == 0) {
          wake_state_.yield();
          lanes_->post(position_);
          return;
        }
      }
    } while (!wake_state_.try_leave());
  } catch (...) {
    run_->fail_with_current_exception(vertex_->name, "run", 0);
  }
}

bool StageDriver::advance() {
  const RunState::Phase phase = run_->phase();
  if (has_ended_ || phase == RunState::Phase::kAborted) {
    return false;
  }
  if (phase == RunState::Phase::kFinishing && !is_after_steps_) {
    halt();
    return false;
  }
  if (is_holding_ && !flush()) {
    return false;
  }
  if (is_drained_) {
    end_outputs();
    return false;
  }
  return work();
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
  account_.finish(now, run_->left_running_at(), missing());
  has_ended_ = true;
}

void StageDriver::end_outputs() {
  const std::int64_t now = run_->now();
  account_.end(now, flushed_);
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
      const EdgeQueue::Pushed pushed = link.edge->try_push(link.held[gone], now);
      if (!pushed.accepted) {
        break;
      }
      flushed_.latest({.kind = Enabler::Kind::kOutput, .port = i, .at = pushed.credit_since});
      if (pushed.wake_consumer) {
        link.consumer->wake();
      }
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

Item StageDriver::take(std::size_t input, std::int64_t now) {
  EdgeQueue::Popped popped = inputs_[input].edge->pop(now);
  if (popped.wake_producer) {
    inputs_[input].producer->wake();
  }
  origins_.took(input, popped.item);
  return std::move(popped.item);
}

void StageDriver::commit(std::int64_t now) {
  std::vector<StagedItem>& staged = slot_.staged();
  for (StagedItem& item : staged) {
    item.item.seq = slot_.next_seq()[item.port]++;
  }
  origins_.mark(staged, firings_, slot_.next_seq());
  for (StagedItem& item : staged) {
    if (item.item.seq < first_delivered_[item.port]) {
      continue;
    }
    const std::vector<std::size_t>& links = links_of_port_[item.port];
    for (std::size_t i = 0; i < links.size(); ++i) {
      send(outputs_[links[i]], i + 1 < links.size() ? item.item.share() : std::move(item.item), now);
    }
  }
  staged.clear();
}

void StageDriver::send(OutputLink& link, Item item, std::int64_t now) {
  if (link.held.empty()) {
    const EdgeQueue::Pushed pushed = link.edge->try_push(item, now);
    if (pushed.wake_consumer) {
      link.consumer->wake();
    }
    if (pushed.accepted) {
      return;
    }
  }
  link.held.push_back(std::move(item));
  is_holding_ = true;
}

bool StageDriver::drain(const Enabler& last) {
  const std::int64_t begin = run_->now();
  account_.begin_busy(begin, last);
  slot_.begin(firings_, true);
  bool failed = false;
  try {
    stage().drain(slot_);
  } catch (...) {
    failed = true;
    run_->fail_with_current_exception(vertex_->name, "drain", 0);
  }
  const std::int64_t end = run_->now();
  account_.end_busy(end, false);
  slot_.finish(failed);
  is_drained_ = true;
  flushed_ = {};
  commit(end);
  return true;
}

std::string StageDriver::waits_for() {
  const Enabler cause = missing();
  if (cause.kind == Enabler::Kind::kOutput) {
    EdgeQueue& edge = *outputs_[cause.port].edge;
    return fmt::format("room on edge '{}' ({} of {} items)", edge.name(), edge.size(), edge.capacity().items);
  }
  if (cause.kind == Enabler::Kind::kInput) {
    return fmt::format("an item on edge '{}'", inputs_[cause.port].edge->name());
  }
  return "nothing that any other stage could give";
}

void StageDriver::finish(std::int64_t now, std::vector<EdgeRecord>& edges) {
  if (!has_ended_) {
    const std::int64_t left_running = run_->left_running_at();
    account_.finish(now, left_running > 0 ? left_running : now, missing());
  } else {
    account_.finish(now, now, {});
  }
  for (OutputLink& link : outputs_) {
    edges[link.index].abandoned += static_cast<std::int64_t>(link.held.size());
  }
}

StageRecord StageDriver::record(std::int64_t wall_ns) const {
  StageRecord record;
  record.name = vertex_->name;
  record.type = vertex_->info.type;
  record.firings = firings_here_;
  account_.write(record, wall_ns);
  slot_.write(record);
  for (EdgeWait& wait : record.starved_by) {
    wait.edge = inputs_[wait.edge].index;
  }
  for (EdgeWait& wait : record.blocked_by) {
    wait.edge = outputs_[wait.edge].index;
  }
  return record;
}

std::unique_ptr<StageDriver> make_driver(const Graph::Vertex& vertex, RunState& run) {
  if (dynamic_cast<Buffer*>(vertex.stage.get()) != nullptr) {
    return std::make_unique<BufferDriver>(vertex, run);
  }
  return std::make_unique<FiringDriver>(vertex, run);
}

}  // namespace dflash
