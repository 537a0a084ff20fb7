// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/buffer_driver.h"

#include <algorithm>

namespace dflash {

BufferDriver::BufferDriver(const Graph::Vertex& vertex, RunState& run)
    : StageDriver{vertex, run, nullptr}, buffer_{dynamic_cast<Buffer*>(vertex.stage.get())} {}

void BufferDriver::start(std::int64_t now) {
  StageDriver::start(now);
  started_ = now;
  capacity_ = buffer_->capacity();
  tell_content();
  fill_.start(now);
}

bool BufferDriver::work() {
  const EdgeQueue::Look look = inputs_[0].edge->look();
  input_ended_ = look.front == EdgeQueue::Front::kEnded;
  Enabler arrival{.kind = Enabler::Kind::kInput, .port = 0, .at = look.since};
  Enabler last = flushed_;
  const bool is_ready = buffer_->has_ready(input_ended_);
  if (is_ready && outbox_.has_credit(last)) {
    pop(last);
    return true;
  }
  if (look.front == EdgeQueue::Front::kItem && buffer_->has_room()) {
    // With something ready and no credit it was the output that held the buffer up, whoever came first.
    put(is_ready ? Enabler{.kind = Enabler::Kind::kOutput, .port = 0, .at = look.since} : arrival);
    return true;
  }
  return input_ended_ && buffer_->size() == 0 && drain(arrival);
}

template <class Body>
void BufferDriver::measured(const Enabler& last, const char* doing, Body body) {
  const std::int64_t begin = run_->now();
  account_.begin_busy(begin, last);
  measure_fill(begin);
  ++firings_here_;
  ++firings_;
  bool failed = false;
  try {
    body(begin);
    body_.plant_after(firings_, slot_.staged());
  } catch (...) {
    failed = true;
    run_->fail_with_current_exception(vertex_->name, doing, firings_);
  }
  const std::int64_t end = run_->now();
  account_.end_busy(end, firings_);
  tell_content();
  slot_.finish(failed);
  flushed_ = {};
  commit(slot_.staged(), end);
}

void BufferDriver::put(const Enabler& last) {
  measured(last, "put", [this](std::int64_t now) {
    Item item = StageDriver::pop(0, firings_, now);  // its producer goes on, whatever follows
    body_.plant_before(firings_);
    origins_.took(0, item);
    if (item.is_tombstone()) {
      slot_.count("tombstones", 1);
      return;
    }
    const std::int64_t bytes = item.bytes;
    const Held held{.payload = item.payload.get(), .since = now, .put = firings_, .seq = item.seq, .bytes = bytes};
    const std::int64_t before = buffer_->size();
    buffer_->put(std::move(item));
    if (buffer_->size() == before) {
      return;  // it left before a resume and has come again
    }
    ++row_.items;
    row_.bytes += bytes;
    held_.push_back(held);
    row_.max_fill = std::max(row_.max_fill, buffer_->size());
  });
  worked_off(0, 1);
}

void BufferDriver::pop(const Enabler& last) {
  measured(last, "pop", [this](std::int64_t now) {
    body_.plant_before(firings_);
    Item item = buffer_->pop();
    forget(item.payload.get(), now);
    slot_.emit_item(*stage().outputs()[0], std::move(item));
  });
}

void BufferDriver::forget(const void* payload, std::int64_t now) {
  auto found = std::ranges::find(held_, payload, &Held::payload);
  found = found == held_.end() ? held_.begin() : found;
  if (found == held_.end()) {
    return;
  }
  if (run_->instrument()) {
    row_.residence.record(now - found->since);
    events_.add({.seq = found->seq,
                 .from_firing = found->put,
                 .to_firing = firings_,
                 .pushed = found->since,
                 .popped = now,
                 .bytes = found->bytes});
  }
  held_.erase(found);
}

void BufferDriver::measure_fill(std::int64_t now) {
  if (run_->instrument()) {
    fill_.advance(now, buffer_->size(), !buffer_->has_room());
  }
}

void BufferDriver::tell_content() {
  live_fill_.store(buffer_->size(), std::memory_order_relaxed);
  live_items_.store(row_.items, std::memory_order_relaxed);
}

LiveEdge BufferDriver::live_content() const {
  const std::int64_t fill = live_fill_.load(std::memory_order_relaxed);
  return {.name = vertex_->name,
          .is_buffer = true,
          .capacity_items = capacity_,
          .items = live_items_.load(std::memory_order_relaxed),
          .fill = fill,
          .is_full = fill >= capacity_};
}

Enabler BufferDriver::missing() {
  const bool held_up = outbox_.is_holding() || buffer_->has_ready(input_ended_);
  if (held_up) {
    return {.kind = Enabler::Kind::kOutput, .port = 0};
  }
  return {.kind = input_ended_ ? Enabler::Kind::kNothing : Enabler::Kind::kInput, .port = 0};
}

BufferTimeline BufferDriver::content(std::int64_t now) const {
  Recent<ItemEvent> events = events_;
  for (const Held& held : held_) {
    if (run_->instrument()) {
      events.add({.seq = held.seq, .from_firing = held.put, .pushed = held.since, .popped = now, .bytes = held.bytes});
    }
  }
  return {.capacity_items = buffer_->capacity(),
          .min_ready = buffer_->fewest_ready(),
          .items = events.oldest_first(),
          .lost = events.lost()};
}

void BufferDriver::finish(std::int64_t now, std::vector<EdgeRecord>& edges) {
  StageDriver::finish(now, edges);
  measure_fill(now);
  row_.name = vertex_->name;
  row_.is_buffer = true;
  row_.capacity_items = buffer_->capacity();
  row_.abandoned = buffer_->size();
  for (const Held& held : held_) {
    row_.untaken_ns += std::max<std::int64_t>(now - held.since, 0);
  }
  fill_.write(row_, now - started_);
  edges.push_back(row_);
}

}  // namespace dflash
