// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/edge_queue.h"

#include <algorithm>
#include <utility>

#include "framework/core/error.h"

namespace dflash {
namespace {

/// A large capacity costs memory only once it is used.
constexpr std::int64_t kFirstRing = 64;

ItemEvent event_of(const Item& item, std::int64_t arrived, std::int64_t left, std::int64_t firing) {
  return {.seq = item.seq,
          .from_firing = item.from_firing,
          .to_firing = firing,
          .pushed = arrived,
          .popped = left,
          .bytes = item.bytes};
}

}  // namespace

EdgeQueue::EdgeQueue(const Graph::Edge& edge, bool instrument)
    : name_{edge.name},
      capacity_{edge.capacity},
      rules_{edge.rules},
      type_{edge.rules.initial > 0 ? &edge.from->type() : nullptr},
      instrument_{instrument},
      ring_(static_cast<std::size_t>(std::min(edge.capacity.items, kFirstRing))),
      freed_(ring_.size()) {}

void EdgeQueue::start(std::int64_t now, std::int64_t first_seq) {
  const std::lock_guard lock{mutex_};
  started_ = now;
  first_seq_ = first_seq;
  fill_.start(now);
  for (std::int64_t i = 0; i < rules_.initial; ++i) {
    Item item = type_->initial();
    item.seq = i - rules_.initial;
    accept(item, now);
  }
}

bool EdgeQueue::is_full() const {
  return pushed_ - places_freed_ >= capacity_.items || (capacity_.bytes && bytes_inside_ >= *capacity_.bytes);
}

bool EdgeQueue::has_credit() const { return discarding_ || rules_.when_full != WhenFull::kBlock || !is_full(); }

bool EdgeQueue::fits(std::int64_t bytes) const {
  return !is_full() && (!capacity_.bytes || pushed_ == places_freed_ || bytes_inside_ + bytes <= *capacity_.bytes);
}

std::int64_t EdgeQueue::credit_since() const {
  if (rules_.when_full != WhenFull::kBlock) {
    return started_;
  }
  const bool was_never_full = static_cast<std::int64_t>(ring_.size()) < capacity_.items || pushed_ < capacity_.items;
  const std::int64_t place = was_never_full ? started_ : freed_[static_cast<std::size_t>(pushed_) % freed_.size()];
  return capacity_.bytes ? std::max(place, bytes_freed_at_) : place;
}

void EdgeQueue::measure(std::int64_t now) {
  if (instrument_) {
    fill_.advance(now, pushed_ - popped_, is_full());
  }
}

EdgeQueue::Credit EdgeQueue::credit() {
  const std::lock_guard lock{mutex_};
  producer_waits_ = !has_credit();
  return {.available = !producer_waits_, .since = credit_since()};
}

EdgeQueue::Pushed EdgeQueue::try_push(Item& item, std::int64_t now) {
  const std::lock_guard lock{mutex_};
  Pushed result{.accepted = true, .credit_since = credit_since()};
  if (item.seq < first_seq_) {
    item = Item{};
    return result;
  }
  if (discarding_) {
    item = Item{};
    ++sent_;
    ++abandoned_;
    result.lost = 1;
    return result;
  }
  if (!fits(item.bytes)) {
    switch (rules_.when_full) {
      case WhenFull::kBlock:
        producer_waits_ = true;
        return {};
      case WhenFull::kFail:
        return {.overflowed = true};
      case WhenFull::kDropNewest:
        break;
      case WhenFull::kDropOldest:
        drop_oldest(item.bytes, now, result);
    }
  }
  if (!fits(item.bytes)) {  // what was taken and is still worked on cannot be dropped
    note(item, now, now, 0);
    item = Item{};
    ++sent_;
    ++drops_;
    ++result.lost;
    return result;
  }
  accept(item, now);
  result.wake_consumer = std::exchange(consumer_waits_, false);
  return result;
}

void EdgeQueue::accept(Item& item, std::int64_t now) {
  measure(now);
  const auto used = static_cast<std::size_t>(pushed_ - places_freed_);
  if (used == ring_.size()) {
    std::vector<Entry> larger(std::min(ring_.size() * 2, static_cast<std::size_t>(capacity_.items)));
    std::vector<std::int64_t> freed(larger.size(), started_);
    for (std::int64_t i = popped_; i < pushed_; ++i) {
      larger[static_cast<std::size_t>(i) % larger.size()] =
          std::move(ring_[static_cast<std::size_t>(i) % ring_.size()]);
    }
    ring_ = std::move(larger);
    freed_ = std::move(freed);
  }
  if (capacity_.bytes && item.bytes > *capacity_.bytes) {
    ++oversize_;
  }
  bytes_inside_ += item.bytes;
  total_bytes_ += item.bytes;
  Entry& entry = ring_[static_cast<std::size_t>(pushed_) % ring_.size()];
  entry.item = std::move(item);
  entry.arrived = now;
  ++pushed_;
  ++sent_;
  max_fill_ = std::max(max_fill_, pushed_ - popped_);
}

void EdgeQueue::drop_oldest(std::int64_t bytes, std::int64_t now, Pushed& result) {
  measure(now);
  while (!fits(bytes) && pushed_ > popped_) {
    lose_front(now);
    ++drops_;
    ++result.lost;
  }
}

void EdgeQueue::lose_front(std::int64_t now) {
  const Entry lost = take_front();
  freed_[static_cast<std::size_t>(places_freed_++) % freed_.size()] = now;
  bytes_inside_ -= lost.item.bytes;
  note(lost.item, lost.arrived, now, 0);
  untaken_ns_ += std::max<std::int64_t>(now - lost.arrived, 0);
}

bool EdgeQueue::end(std::int64_t now) {
  const std::lock_guard lock{mutex_};
  ended_ = true;
  ended_at_ = now;
  return std::exchange(consumer_waits_, false);
}

EdgeQueue::Look EdgeQueue::look() {
  const std::lock_guard lock{mutex_};
  if (pushed_ > popped_) {
    const Entry& front = ring_[static_cast<std::size_t>(popped_) % ring_.size()];
    return {.front = Front::kItem, .since = front.arrived, .ready = front.item.ready};
  }
  if (ended_) {
    return {.front = Front::kEnded, .since = ended_at_};
  }
  consumer_waits_ = true;
  return {};
}

void EdgeQueue::note(const Item& item, std::int64_t arrived, std::int64_t now, std::int64_t firing) {
  if (instrument_) {
    events_.add(event_of(item, arrived, now, firing));
  }
}

EdgeQueue::Popped EdgeQueue::pop(std::int64_t now, std::int64_t firing, Place place) {
  const std::lock_guard lock{mutex_};
  DFLASH_CHECK(pushed_ > popped_, "edge '{}' is empty", name_);
  measure(now);
  Entry entry = take_front();
  if (instrument_) {
    residence_.record(now - entry.arrived);
  }
  note(entry.item, entry.arrived, now, firing);
  const bool wake_producer = place == Place::kFree && free(entry.item.bytes, now);
  return {.item = std::move(entry.item), .wake_producer = wake_producer};
}

bool EdgeQueue::free_place(std::int64_t bytes, std::int64_t now) {
  const std::lock_guard lock{mutex_};
  measure(now);
  return free(bytes, now);
}

EdgeQueue::Entry EdgeQueue::take_front() {
  Entry entry = std::move(ring_[static_cast<std::size_t>(popped_) % ring_.size()]);
  ++popped_;
  return entry;
}

bool EdgeQueue::free(std::int64_t bytes, std::int64_t now) {
  const bool short_of_bytes = capacity_.bytes && bytes_inside_ >= *capacity_.bytes;
  freed_[static_cast<std::size_t>(places_freed_) % freed_.size()] = now;
  ++places_freed_;
  bytes_inside_ -= bytes;
  const bool wake_producer = std::exchange(producer_waits_, false);
  if (short_of_bytes || wake_producer) {
    bytes_freed_at_ = now;
  }
  return wake_producer;
}

EdgeQueue::Discarded EdgeQueue::discard(std::int64_t now) {
  const std::lock_guard lock{mutex_};
  measure(now);
  discarding_ = true;
  Discarded result{.wake_producer = std::exchange(producer_waits_, false)};
  while (popped_ < pushed_) {
    lose_front(now);
    ++abandoned_;
    ++result.lost;
  }
  return result;
}

std::int64_t EdgeQueue::size() {
  const std::lock_guard lock{mutex_};
  return pushed_ - popped_;
}

LiveEdge EdgeQueue::live() {
  LiveEdge edge{.name = name_, .capacity_items = capacity_.items};
  const std::lock_guard lock{mutex_};
  edge.items = sent_;
  edge.fill = pushed_ - popped_;
  edge.drops = drops_;
  edge.is_full = !has_credit();
  return edge;
}

EdgeTimeline EdgeQueue::timeline(std::int64_t now) {
  const std::lock_guard lock{mutex_};
  Recent<ItemEvent> events = events_;
  for (std::int64_t i = popped_; i < pushed_ && instrument_; ++i) {
    const Entry& inside = ring_[static_cast<std::size_t>(i) % ring_.size()];
    events.add(event_of(inside.item, inside.arrived, now, 0));
  }
  return {.name = name_,
          .capacity_items = capacity_.items,
          .blocks = rules_.when_full == WhenFull::kBlock,
          .items = events.oldest_first(),
          .lost = events.lost()};
}

EdgeRecord EdgeQueue::record(std::int64_t now) {
  const std::lock_guard lock{mutex_};
  measure(now);
  EdgeRecord record;
  record.name = name_;
  record.capacity_items = capacity_.items;
  record.capacity_bytes = capacity_.bytes;
  record.items = sent_;
  record.bytes = total_bytes_;
  record.max_fill = max_fill_;
  record.residence = residence_;
  record.drops = drops_;
  record.oversize = oversize_;
  record.abandoned = abandoned_ + pushed_ - popped_;
  record.untaken_ns = untaken_ns_;
  for (std::int64_t i = popped_; i < pushed_; ++i) {
    record.untaken_ns += std::max<std::int64_t>(now - ring_[static_cast<std::size_t>(i) % ring_.size()].arrived, 0);
  }
  fill_.write(record, now - started_);
  return record;
}

}  // namespace dflash
