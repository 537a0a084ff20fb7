// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/replay_edge.h"

#include <algorithm>

namespace dflash {

ReplayEdge::ReplayEdge(const ModelEdge& model) : model_{&model}, places_{std::ssize(model.inside)} {
  for (const std::size_t maker : model.inside) {
    inside_.push_back({.seq = next_seq_++, .made = {.stage = model.from, .firing = maker}});
  }
  most_inside_ = places_;
}

void ReplayEdge::note(const ReplayItem& item, std::int64_t popped, std::int64_t firing) {
  events_.push_back({.seq = item.seq,
                     .from_firing = item.from_firing,
                     .to_firing = firing,
                     .pushed = item.pushed,
                     .popped = popped,
                     .bytes = model_->largest_bytes});
}

bool ReplayEdge::push(const ReplayItem& item, std::int64_t now) {
  if (!has_credit()) {
    return false;
  }
  ReplayItem pushed = item;
  pushed.seq = next_seq_++;
  pushed.pushed = now;
  if (discards_ || places_ >= model_->capacity_items) {
    ++(discards_ ? abandoned_ : drops_);
    note(pushed, now, 0);
    return true;
  }
  measure(now);
  ++places_;
  inside_.push_back(pushed);
  most_inside_ = std::max(most_inside_, std::ssize(inside_));
  return true;
}

ReplayItem ReplayEdge::pop(std::int64_t now, std::int64_t firing, bool keeps_place) {
  measure(now);
  const ReplayItem item = inside_.front();
  inside_.pop_front();
  note(item, now, firing);
  if (!keeps_place) {
    free_place(now);
  }
  return item;
}

void ReplayEdge::free_place(std::int64_t now) {
  measure(now);
  if (places_ >= model_->capacity_items) {
    credit_since_ = now;
  }
  --places_;
}

void ReplayEdge::end(std::int64_t now) {
  if (!has_ended_) {
    has_ended_ = true;
    ended_at_ = now;
  }
}

void ReplayEdge::discard(std::int64_t now) {
  measure(now);
  discards_ = true;
  for (const ReplayItem& item : inside_) {
    note(item, now, 0);
    ++abandoned_;
    --places_;
  }
  inside_.clear();
}

void ReplayEdge::finish(std::int64_t now) { discard(now); }

EdgeTimeline ReplayEdge::timeline() const {
  return {.name = model_->name,
          .from_stage = model_->from,
          .to_stage = model_->to,
          .capacity_items = model_->capacity_items,
          .blocks = model_->blocks,
          .items = events_};
}

EdgeRecord ReplayEdge::record(std::int64_t wall_ns) const {
  EdgeRecord record{.name = model_->name, .from_stage = model_->from, .to_stage = model_->to};
  record.capacity_items = model_->capacity_items;
  record.items = std::ssize(events_);
  record.bytes = record.items * model_->largest_bytes;
  fill_.write(record, wall_ns);
  record.max_fill = most_inside_;
  record.drops = drops_;
  record.abandoned = abandoned_;
  for (const ItemEvent& item : events_) {
    if (item.to_firing > 0) {
      record.residence.record(item.popped - item.pushed);
    }
  }
  return record;
}

}  // namespace dflash
