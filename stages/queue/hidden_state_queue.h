// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "framework/core/stage.h"
#include "stages/pack/draft_batch.h"

namespace dflash {

/// Holds packed batches between the target side and the drafter side, so that a burst on one does not stall the other.
///
/// Order: `fifo` pops the oldest. `random` pops one of exactly the `min_ready` oldest, by (seed, pop number), so a run
/// repeats bit for bit whatever the timing. `buckets` keeps to batches of one length class while the `min_ready` oldest
/// hold one: the oldest of the class, or a random one of those among them; a batch that was passed over `min_ready`
/// times is next.
///
/// Resume: an item that leaves carries the origin of the newest item before which nothing is left behind (none while
/// there is no such item). The snapshot lists what left early beyond it; after a resume those are dropped as they come
/// again.
class HiddenStateQueue final : public Buffer {
 public:
  enum class Order { kFifo, kRandom };

  static StageInfo info() {
    return {.type = "hidden_state_queue", .summary = "buffers packed batches between target and drafter"};
  }

  Input<DraftBatch> in{*this, "in", "packed batches"};
  Output<DraftBatch> out{*this, "out", "the same, in the order asked for"};

  Param<std::int64_t> capacity_items{
      *this, "capacity", {.value = 60, .min = 1, .max = 1 << 20, .unit = "items", .help = "the most that is held"}};
  Param<std::optional<std::int64_t>> capacity_bytes{
      *this,
      "capacity_bytes",
      {.min = 1, .unit = "bytes", .help = "the most that is held, in bytes; one larger batch is held alone"}};
  Param<std::int64_t> min_ready{
      *this,
      "min_ready",
      {.value = 1, .min = 1, .unit = "items", .help = "nothing leaves while fewer are held, until the input ends"}};
  Choice<Order> order{*this,
                      "order",
                      Order::kFifo,
                      {{"fifo", Order::kFifo}, {"random", Order::kRandom}},
                      "which of the min_ready oldest leaves"};
  Param<std::vector<std::int64_t>> buckets{
      *this,
      "buckets",
      {.value = {}, .unit = "tokens", .help = "upper lengths of the classes to keep together, ascending; empty: none"}};

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  [[nodiscard]] bool has_room() const override;
  [[nodiscard]] bool has_ready(bool ended) const override;
  void put(Item item) override;
  [[nodiscard]] Item pop() override;
  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(held_.size()); }
  [[nodiscard]] std::int64_t capacity() const override { return capacity_items(); }
  [[nodiscard]] std::int64_t fewest_ready() const override { return min_ready(); }
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  struct Held {
    Item item;
    std::size_t bucket = 0;
    std::int64_t passed_over = 0;
  };
  [[nodiscard]] std::size_t bucket_of(const Item& item) const;
  /// Those that may leave next, by place, oldest first.
  [[nodiscard]] std::vector<std::size_t> candidates() const;
  [[nodiscard]] std::size_t choose() const;
  void account_for(Item& leaving);

  std::uint64_t seed_ = 0;
  std::deque<Held> held_;  // in order of arrival
  std::int64_t held_bytes_ = 0;
  std::int64_t pops_ = 0;
  std::size_t last_bucket_ = 0;
  std::int64_t base_seq_ = -1;                                        // all items up to this one have left
  std::shared_ptr<const Origin> base_origin_;                         // of that item
  std::map<std::int64_t, std::shared_ptr<const Origin>> left_early_;  // that left beyond the base
  std::set<std::int64_t> drop_;                                       // left early before a resume
  std::map<std::int64_t, std::int64_t> passed_over_;  // counts from before a resume, of items that will come again
};

}  // namespace dflash
