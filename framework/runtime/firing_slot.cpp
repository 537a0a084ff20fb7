// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/firing_slot.h"

#include <algorithm>
#include <utility>

#include "framework/core/error.h"
#include "framework/device/profiler_range.h"

namespace dflash {

FiringSlot::FiringSlot(const Graph::Vertex& vertex, RunState& run, OriginTracker& origins)
    : vertex_{&vertex},
      run_{&run},
      origins_{&origins},
      inputs_(vertex.stage->inputs().size()),
      next_seq_(vertex.stage->outputs().size()) {}

void FiringSlot::begin(std::int64_t number, bool is_drain) {
  number_ = number;
  is_drain_ = is_drain;
}

void FiringSlot::finish(bool failed) {
  for (Item& item : inputs_) {
    item = Item{};
  }
  kept_.clear();
  if (failed) {
    staged_.clear();
    due_step_ = 0;
  }
  depth_ = 0;
}

Item FiringSlot::take_item(const InputPort& port) {
  DFLASH_CHECK(&port.stage() == vertex_->stage.get(), "input '{}' belongs to another stage", port.name());
  DFLASH_CHECK(!is_drain_, "input '{}': there are no inputs in drain", port.name());
  Item& item = inputs_[port.index()];
  DFLASH_CHECK(item.payload != nullptr, "input '{}' was taken already", port.name());
  item.origin = nullptr;
  return std::move(item);
}

void FiringSlot::emit_item(const OutputPort& port, Item item) {
  DFLASH_CHECK(&port.stage() == vertex_->stage.get(), "output '{}' belongs to another stage", port.name());
  DFLASH_CHECK(item.type != nullptr && item.type->name == port.type().name, "output '{}' gives '{}'", port.name(),
               port.type().name);
  staged_.push_back({.port = port.index(), .item = std::move(item)});
}

void FiringSlot::end_of_stream() {
  DFLASH_CHECK(inputs_.empty(), "only a source ends a stream by itself");
  stream_ended_ = true;
}

void FiringSlot::complete_step(std::int64_t step) {
  DFLASH_CHECK(vertex_->info.drives_steps, "the stage type '{}' does not drive steps", vertex_->info.type);
  std::vector<std::int64_t> next_seq = next_seq_;
  for (const StagedItem& staged : staged_) {
    ++next_seq[staged.port];
  }
  origins_->mark_boundary(number_, std::move(next_seq));
  due_step_ = step;
  if (!run_->settles_at(step)) {
    complete_due_step();
  }
}

void FiringSlot::complete_due_step() {
  run_->complete_step(std::exchange(due_step_, 0), *this,
                      [this](const std::filesystem::path& folder) { origins_->save_cut(folder); });
}

void FiringSlot::count(std::string_view name, std::int64_t amount) {
  const auto found = counters_.find(name);
  if (found != counters_.end()) {
    found->second += amount;
  } else {
    counters_.emplace(name, amount);
  }
}

std::size_t FiringSlot::span_of(std::string_view name) {
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (spans_[i].name == name) {
      return i;
    }
  }
  DFLASH_CHECK(spans_.size() < kMaxSpans || name == kBetweenSteps,
               "span '{}' is one more than the {} that a stage may have", name, kMaxSpans);
  spans_.push_back({.name = std::string{name}});
  return spans_.size() - 1;
}

void FiringSlot::begin_span(std::string_view name) {
  if (run_->marks_ranges()) {
    begin_profiler_range(std::string{name}.c_str());
  }
  if (!run_->instrument()) {
    return;
  }
  DFLASH_CHECK(depth_ < kMaxDepth, "span '{}' lies deeper than {}", name, kMaxDepth);
  OpenSpan& open = open_spans_[depth_++];
  open.span = span_of(name);
  if (device_ != nullptr) {
    device_->begin_span(spans_[open.span].name);
  }
  open.since = run_->now();
}

void FiringSlot::end_span() {
  if (run_->marks_ranges()) {
    end_profiler_range();
  }
  if (depth_ == 0) {
    return;
  }
  const OpenSpan open = open_spans_[--depth_];
  note(open.span, open.since, run_->now());
  if (device_ != nullptr) {
    device_->end_span();
  }
}

void FiringSlot::note(std::size_t span, std::int64_t begin, std::int64_t end) {
  ++spans_[span].count;
  spans_[span].ns += end - begin;
  span_events_.add(
      {.number = is_drain_ ? 0 : number_, .name = static_cast<std::int64_t>(span), .begin = begin, .end = end});
}

void FiringSlot::note_span(std::string_view name, std::int64_t begin, std::int64_t end) {
  if (run_->instrument()) {
    note(span_of(name), begin, end);
  }
}

void FiringSlot::add_to(StageRecord& record) const {
  for (const SpanRecord& span : spans_) {
    auto found = std::ranges::find(record.spans, span.name, &SpanRecord::name);
    if (found == record.spans.end()) {
      found = record.spans.insert(found, {.name = span.name});
    }
    found->count += span.count;
    found->ns += span.ns;
  }
  for (const auto& [name, count] : counters_) {
    record.counters[name] += count;
  }
}

void FiringSlot::add_to(StageTimeline& timeline, std::int64_t slot) const {
  for (SpanEvent event : span_events_.oldest_first()) {
    event.slot = slot;
    event.name = timeline.index_of_span(spans_[static_cast<std::size_t>(event.name)].name);
    timeline.spans.push_back(event);
  }
  timeline.note_lost(span_events_);
}

bool FiringSlot::has_tombstone() const { return std::ranges::any_of(inputs_, &Item::is_tombstone); }

void FiringSlot::stage_tombstones() {
  staged_.clear();
  for (const OutputPort* port : vertex_->stage->outputs()) {
    Item tombstone;
    tombstone.type = &port->type();
    staged_.push_back({.port = port->index(), .item = std::move(tombstone)});
  }
}

void FiringSlot::keep_inputs() {
  kept_.clear();
  for (const Item& item : inputs_) {
    kept_.push_back(item.share());
  }
}

void FiringSlot::rewind() {
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    inputs_[i] = kept_[i].share();
  }
  staged_.clear();
  depth_ = 0;
  if (device_ != nullptr) {
    device_->drop_open_spans();
  }
}

}  // namespace dflash
