// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/edge_queue.h"

#include <algorithm>
#include <utility>

#include "framework/core/error.h"

namespace dflash {
namespace {

/// A large capacity costs memory only once it is used.
constexpr std::int64_t kFirstRing = 64;

}  // namespace

EdgeQueue::EdgeQueue(const Graph::Edge& edge, bool instrument)
    : name_{edge.name},
      capacity_{edge.capacity},
      instrument_{instrument},
      ring_(static_cast<std::size_t>(std::min(edge.capacity.items, kFirstRing))),
      freed_(ring_.size()) {}

void EdgeQueue::start(std::int64_t now, std::int64_t first_seq) {
  const std::lock_guard lock{mutex_};
  started_ = now;
  first_seq_ = first_seq;
  fill_.start(now);
}

bool EdgeQueue::has_credit() const {
  return discarding_ || (pushed_ - popped_ < capacity_.items && (!capacity_.bytes || bytes_inside_ < *capacity_.bytes));
}

bool EdgeQueue::fits(std::int64_t bytes) const {
  return has_credit() && (!capacity_.bytes || pushed_ == popped_ || bytes_inside_ + bytes <= *capacity_.bytes);
}

std::int64_t EdgeQueue::credit_since() const {
  const bool was_never_full = static_cast<std::int64_t>(ring_.size()) < capacity_.items || pushed_ < capacity_.items;
  const std::int64_t place = was_never_full ? started_ : freed_[static_cast<std::size_t>(pushed_) % freed_.size()];
  return capacity_.bytes ? std::max(place, bytes_freed_at_) : place;
}

void EdgeQueue::measure(std::int64_t now) {
  if (instrument_) {
    fill_.advance(now, pushed_ - popped_, !has_credit());
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
    ++abandoned_;
    return result;
  }
  if (!fits(item.bytes)) {
    producer_waits_ = true;
    return {};
  }
  accept(item, now);
  result.wake_consumer = std::exchange(consumer_waits_, false);
  return result;
}

void EdgeQueue::accept(Item& item, std::int64_t now) {
  measure(now);
  const auto fill = static_cast<std::size_t>(pushed_ - popped_);
  if (fill == ring_.size()) {
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
  max_fill_ = std::max(max_fill_, pushed_ - popped_);
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
    return {.front = Front::kItem, .since = ring_[static_cast<std::size_t>(popped_) % ring_.size()].arrived};
  }
  if (ended_) {
    return {.front = Front::kEnded, .since = ended_at_};
  }
  consumer_waits_ = true;
  return {};
}

EdgeQueue::Popped EdgeQueue::pop(std::int64_t now) {
  const std::lock_guard lock{mutex_};
  DFLASH_CHECK(pushed_ > popped_, "edge '{}' is empty", name_);
  measure(now);
  const bool short_of_bytes = capacity_.bytes && bytes_inside_ >= *capacity_.bytes;
  Entry& entry = ring_[static_cast<std::size_t>(popped_) % ring_.size()];
  Popped result{.item = std::move(entry.item), .wake_producer = std::exchange(producer_waits_, false)};
  if (instrument_) {
    residence_.record(now - entry.arrived);
  }
  freed_[static_cast<std::size_t>(popped_) % freed_.size()] = now;
  bytes_inside_ -= result.item.bytes;
  if (short_of_bytes || result.wake_producer) {
    bytes_freed_at_ = now;
  }
  ++popped_;
  return result;
}

bool EdgeQueue::discard(std::int64_t now) {
  const std::lock_guard lock{mutex_};
  measure(now);
  discarding_ = true;
  for (; popped_ < pushed_; ++popped_, ++abandoned_) {
    ring_[static_cast<std::size_t>(popped_) % ring_.size()].item = Item{};
  }
  bytes_inside_ = 0;
  return std::exchange(producer_waits_, false);
}

void EdgeQueue::add_abandoned(std::int64_t items) {
  const std::lock_guard lock{mutex_};
  abandoned_ += items;
}

std::int64_t EdgeQueue::size() {
  const std::lock_guard lock{mutex_};
  return pushed_ - popped_;
}

EdgeRecord EdgeQueue::record(std::int64_t now) {
  const std::lock_guard lock{mutex_};
  measure(now);
  EdgeRecord record;
  record.name = name_;
  record.capacity_items = capacity_.items;
  record.capacity_bytes = capacity_.bytes;
  record.items = pushed_;
  record.bytes = total_bytes_;
  record.max_fill = max_fill_;
  record.residence = residence_;
  record.oversize = oversize_;
  record.abandoned = abandoned_ + pushed_ - popped_;
  fill_.write(record, now - started_);
  return record;
}

}  // namespace dflash
