// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "framework/core/graph.h"
#include "framework/telemetry/fill_meter.h"
#include "framework/telemetry/live_view.h"
#include "framework/telemetry/recent.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// The run-time side of an edge: a queue bounded in items and bytes between one producer and one consumer, each on any
/// thread. Nobody waits inside: who is refused is told by the other side's next change (`wake_...`). Times are
/// nanoseconds of the steady clock, or 0 throughout where nothing is measured. An edge that never blocks always has
/// credit.
class EdgeQueue {
 public:
  struct Credit {
    bool available = false;
    std::int64_t since = 0;  // when the place became free
  };
  struct Pushed {
    bool accepted = false;  // it left the producer: it is inside, or was dropped
    bool overflowed = false;
    bool wake_consumer = false;
    std::int64_t lost = 0;  // items, this one or others, that nobody will take
    std::int64_t credit_since = 0;
  };
  enum class Front { kEmpty, kItem, kEnded };
  struct Look {
    Front front = Front::kEmpty;
    std::int64_t since = 0;             // when the item arrived or the stream ended
    std::shared_ptr<Completion> ready;  // of the item
  };
  struct Discarded {
    bool wake_producer = false;
    std::int64_t lost = 0;
  };
  /// What becomes of a popped item's place: a device works on after the host has taken the item.
  enum class Place { kFree, kKept };
  struct Popped {
    Item item;
    bool wake_producer = false;
  };

  EdgeQueue(const Graph::Edge& edge, bool instrument);
  EdgeQueue(const EdgeQueue&) = delete;
  EdgeQueue& operator=(const EdgeQueue&) = delete;
  ~EdgeQueue() = default;

  /// Before the run: starts the clock, puts in what the edge holds from the beginning, and drops what will arrive again
  /// below this sequence number after a resume.
  void start(std::int64_t now, std::int64_t first_seq);

  /// Room for an item of yet unknown size. Where there is none, the next change in favour wakes the producer.
  [[nodiscard]] Credit credit();
  /// Moves from `item` only where it is accepted. An item above the whole byte bound is accepted alone. Where there is
  /// no room, the edge's rule decides; `overflowed`: it calls that an error.
  [[nodiscard]] Pushed try_push(Item& item, std::int64_t now);
  /// No item will follow. Returns whether the consumer must be woken.
  [[nodiscard]] bool end(std::int64_t now);

  [[nodiscard]] Look look();
  /// Only after `look` has found an item, for the consumer's firing of that number. A place that is kept is given back
  /// by `free_place`.
  [[nodiscard]] Popped pop(std::int64_t now, std::int64_t firing, Place place = Place::kFree);
  /// From any thread. Returns whether the producer must be woken.
  [[nodiscard]] bool free_place(std::int64_t bytes, std::int64_t now);
  /// The consumer wants no more: what is inside and what will come is lost and counted as abandoned.
  [[nodiscard]] Discarded discard(std::int64_t now);

  [[nodiscard]] std::int64_t size();
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Capacity& capacity() const { return capacity_; }
  /// What was measured from `start` to `now`.
  [[nodiscard]] EdgeRecord record(std::int64_t now);
  /// From any thread, without the edge's ends.
  [[nodiscard]] LiveEdge live();
  /// The newest items and when they came and went, without the edge's ends; what is still inside is given up `now`.
  [[nodiscard]] EdgeTimeline timeline(std::int64_t now);

 private:
  struct Entry {
    Item item;
    std::int64_t arrived = 0;
  };

  [[nodiscard]] bool is_full() const;
  [[nodiscard]] bool has_credit() const;
  [[nodiscard]] bool fits(std::int64_t bytes) const;
  [[nodiscard]] std::int64_t credit_since() const;
  void measure(std::int64_t now);
  void accept(Item& item, std::int64_t now);
  [[nodiscard]] Entry take_front();
  [[nodiscard]] bool free(std::int64_t bytes, std::int64_t now);
  void lose_front(std::int64_t now);
  /// `firing`: 0 where nobody took the item.
  void note(const Item& item, std::int64_t arrived, std::int64_t now, std::int64_t firing);
  void drop_oldest(std::int64_t bytes, std::int64_t now, Pushed& result);

  const std::string name_;
  const Capacity capacity_;
  const EdgeRules rules_;
  const ItemTypeInfo* const type_;  // null where the edge has no initial items
  const bool instrument_;

  std::mutex mutex_;
  std::vector<Entry> ring_;
  std::vector<std::int64_t> freed_;  // when each place became free, by number of the freeing
  std::int64_t pushed_ = 0;
  std::int64_t popped_ = 0;
  std::int64_t places_freed_ = 0;  // at most popped_
  std::int64_t bytes_inside_ = 0;
  std::int64_t bytes_freed_at_ = 0;
  std::int64_t first_seq_ = 0;
  std::int64_t ended_at_ = 0;
  bool ended_ = false;
  bool discarding_ = false;
  bool producer_waits_ = false;
  bool consumer_waits_ = true;

  std::int64_t started_ = 0;
  FillMeter fill_;
  std::int64_t max_fill_ = 0;
  std::int64_t total_bytes_ = 0;
  std::int64_t oversize_ = 0;
  std::int64_t drops_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t untaken_ns_ = 0;
  std::int64_t abandoned_ = 0;
  Histogram residence_;
  Recent<ItemEvent> events_;
};

}  // namespace dflash
