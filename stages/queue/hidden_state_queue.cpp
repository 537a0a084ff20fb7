// SPDX-License-Identifier: Apache-2.0
#include "stages/queue/hidden_state_queue.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <nlohmann/json.hpp>

#include "framework/core/counter_random.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"

namespace dflash {

void HiddenStateQueue::check(StageCheck& check) const {
  if (min_ready() > capacity_items()) {
    check.add(min_ready, fmt::format("found {}, allowed: from 1 to the capacity, which is {}{}", min_ready(),
                                     capacity_items(), check.place_clause(capacity_items)));
  }
  check.require_ascending(buckets);
}

void HiddenStateQueue::open(const StageEnv& env) { seed_ = env.seed; }

bool HiddenStateQueue::has_room() const {
  if (held_.empty()) {
    return true;
  }
  return size() < capacity_items() && (!capacity_bytes() || held_bytes_ < *capacity_bytes());
}

bool HiddenStateQueue::has_ready(bool ended) const {
  // A queue that is full in bytes has to let go, or min_ready would never be reached.
  return !held_.empty() && (ended || size() >= min_ready() || !has_room());
}

std::size_t HiddenStateQueue::bucket_of(const Item& item) const {
  const auto& batch = *static_cast<const DraftBatch*>(item.payload.get());
  const auto found = std::lower_bound(buckets().begin(), buckets().end(), batch.pack.rows());
  return static_cast<std::size_t>(found - buckets().begin());
}

void HiddenStateQueue::put(Item item) {
  if (drop_.erase(item.seq) > 0) {
    left_early_[item.seq] = item.origin;
    return;
  }
  held_bytes_ += item.bytes;
  const std::size_t bucket = bucket_of(item);
  const auto passed = passed_over_.extract(item.seq);
  held_.push_back({std::move(item), bucket, passed ? passed.mapped() : 0});
}

std::vector<std::size_t> HiddenStateQueue::candidates() const {
  std::vector<std::size_t> window(static_cast<std::size_t>(std::min(size(), min_ready())));
  std::iota(window.begin(), window.end(), 0);
  if (buckets().empty()) {
    return window;
  }
  const auto is_of = [&](std::size_t bucket) {
    return [this, bucket](std::size_t i) { return held_[i].bucket == bucket; };
  };
  const bool goes_on = std::ranges::any_of(window, is_of(last_bucket_));
  std::erase_if(window, std::not_fn(is_of(goes_on ? last_bucket_ : held_.front().bucket)));
  return window;
}

std::size_t HiddenStateQueue::choose() const {
  if (!buckets().empty() && held_.front().passed_over >= min_ready()) {
    return 0;
  }
  const std::vector<std::size_t> among = candidates();
  return order() == Order::kFifo ? among.front()
                                 : among[counter_random(seed_, {static_cast<std::uint64_t>(pops_)}) % among.size()];
}

Item HiddenStateQueue::pop() {
  const std::size_t chosen = choose();
  for (std::size_t i = 0; i < chosen; ++i) {
    ++held_[i].passed_over;
  }
  Item item = std::move(held_[chosen].item);
  last_bucket_ = held_[chosen].bucket;
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(chosen));
  held_bytes_ -= item.bytes;
  ++pops_;
  account_for(item);
  return item;
}

void HiddenStateQueue::account_for(Item& leaving) {
  left_early_[leaving.seq] = leaving.origin;
  while (!left_early_.empty() && left_early_.begin()->first == base_seq_ + 1) {
    base_seq_ = left_early_.begin()->first;
    base_origin_ = left_early_.begin()->second;
    left_early_.erase(left_early_.begin());
  }
  leaving.origin = base_origin_;
}

/// What an earlier cut said of items that have not come again yet still holds.
void HiddenStateQueue::save(Snapshot& snapshot) const {
  std::set<std::int64_t> gone = drop_;
  for (const auto& [seq, origin] : left_early_) {
    gone.insert(seq);
  }
  std::map<std::int64_t, std::int64_t> counts = passed_over_;
  for (const Held& held : held_) {
    if (held.passed_over > 0) {
      counts[held.item.seq] = held.passed_over;
    }
  }
  snapshot.values = {{"pops", pops_},
                     {"last_bucket", last_bucket_},
                     {"base_seq", base_seq_},
                     {"left_early", gone},
                     {"passed_over", Json::array()}};
  for (const auto& [seq, count] : counts) {
    snapshot.values["passed_over"].push_back({seq, count});
  }
}

void HiddenStateQueue::load(const Snapshot& snapshot) {
  pops_ = snapshot.values.at("pops");
  last_bucket_ = snapshot.values.at("last_bucket");
  base_seq_ = snapshot.values.at("base_seq");
  for (const Json& seq : snapshot.values.at("left_early")) {
    drop_.insert(seq.get<std::int64_t>());
  }
  for (const Json& entry : snapshot.values.at("passed_over")) {
    passed_over_[entry.at(0)] = entry.at(1);
  }
}

}  // namespace dflash
