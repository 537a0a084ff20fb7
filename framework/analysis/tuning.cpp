// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/tuning.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "framework/analysis/baseline.h"
#include "framework/analysis/pipeline_model.h"
#include "framework/analysis/pipeline_replay.h"
#include "framework/core/error.h"
#include "framework/report/number_text.h"

namespace dflash {
namespace {

constexpr double kKeptThroughput = 0.99;

/// A capacity that may be changed.
struct Room {
  std::int64_t* items;  // in the model
  std::int64_t least = 1;
  std::int64_t carried = 0;  // that many are as good as unlimited
  std::int64_t item_bytes = 0;
};

class Tuner {
 public:
  Tuner(const Timeline& timeline, std::optional<std::int64_t> budget_bytes) : model_{model_of(timeline)} {
    const Baseline baseline = replay_baseline(model_);
    require_faithful(baseline, model_, "so it can advise nothing");
    tuning_.wall_ns = baseline.run.timeline.wall_ns;
    tuning_.baseline_error = baseline.error;
    tuning_.replayed_since_ns = model_.begins_at_ns;
    tuning_.budget_bytes = budget_bytes;
    for (ModelEdge& edge : model_.edges) {
      if (edge.blocks && !edge.is_feedback) {
        add({.items = &edge.capacity_items, .carried = edge.items, .item_bytes = edge.largest_bytes}, edge.name, false);
      }
    }
    for (ModelBuffer& buffer : model_.buffers) {
      add({.items = &buffer.capacity_items,
           .least = buffer.min_ready,
           .carried = buffer.items,
           .item_bytes = buffer.largest_bytes},
          model_.stages[buffer.stage].name, true);
    }
  }

  Tuning run() {
    for (Room& room : rooms_) {
      *room.items = std::max(room.carried, *room.items);
    }
    tuning_.unlimited_ns = wall();
    // Each may cost its part of what may be lost, or the first would leave nothing to the others.
    const double part = (1.0 - kKeptThroughput) / static_cast<double>(std::max<std::size_t>(rooms_.size(), 1));
    kept_ = 1.0;
    for (const std::size_t i : order_of_shrinking()) {
      kept_ -= part;
      shrink(rooms_[i]);
    }
    kept_ = kKeptThroughput;
    fit_budget();
    tuning_.advised_ns = wall();
    tuning_.keeps_throughput = is_enough(tuning_.advised_ns);
    for (std::size_t i = 0; i < rooms_.size(); ++i) {
      tuning_.capacities[i].advised = *rooms_[i].items;
    }
    return std::move(tuning_);
  }

 private:
  void add(const Room& room, const std::string& name, bool is_buffer) {
    tuning_.capacities.push_back(
        {.name = name, .is_buffer = is_buffer, .recorded = *room.items, .item_bytes = room.item_bytes});
    rooms_.push_back(room);
  }

  /// Of a run that stands still: the most there is.
  [[nodiscard]] std::int64_t wall() const {
    const Replayed replayed = replay(model_);
    return replayed.has_finished ? replayed.timeline.wall_ns : std::numeric_limits<std::int64_t>::max();
  }

  [[nodiscard]] bool is_enough(std::int64_t wall_ns) const {
    return static_cast<double>(wall_ns) * kept_ <= static_cast<double>(tuning_.unlimited_ns);
  }

  /// What shrinks late has to even out what the others no longer can. So buffers, which are there for that, come last,
  /// and what has the largest items first.
  [[nodiscard]] std::vector<std::size_t> order_of_shrinking() const {
    std::vector<std::size_t> order(rooms_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return std::pair{tuning_.capacities[i].is_buffer, -rooms_[i].item_bytes}; });
    return order;
  }

  /// To the smallest that is enough. Small ones are tried first, since most edges need little.
  void shrink(Room& room) {
    const std::int64_t most = *room.items;
    std::int64_t too_small = room.least - 1;
    std::int64_t enough = room.least;
    while (enough < most && !is_enough_with(room, enough)) {
      too_small = enough;
      enough *= 2;
    }
    enough = std::min(enough, most);
    while (enough - too_small > 1) {
      const std::int64_t middle = too_small + (enough - too_small) / 2;
      (is_enough_with(room, middle) ? enough : too_small) = middle;
    }
    *room.items = enough;
  }

  [[nodiscard]] bool is_enough_with(Room& room, std::int64_t items) {
    *room.items = items;
    return is_enough(wall());
  }

  [[nodiscard]] std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const Room& room : rooms_) {
      sum += *room.items * room.item_bytes;
    }
    return sum;
  }

  void fit_budget() {
    if (!tuning_.budget_bytes) {
      return;
    }
    std::int64_t least = 0;
    for (const Room& room : rooms_) {
      least += room.least * room.item_bytes;
    }
    DFLASH_USER_CHECK(least <= *tuning_.budget_bytes,
                      "--bytes {}: allowed: at least {}, which the smallest capacities hold",
                      bytes_text(*tuning_.budget_bytes), bytes_text(least));
    while (bytes() > *tuning_.budget_bytes) {
      take_from_cheapest(bytes() - *tuning_.budget_bytes);
    }
  }

  /// Takes a quarter, or as much as is too much, from the room that loses least time a byte by it.
  void take_from_cheapest(std::int64_t too_much) {
    Room* cheapest = nullptr;
    std::int64_t left = 0;
    double least_loss = std::numeric_limits<double>::infinity();
    for (Room& room : rooms_) {
      if (room.item_bytes == 0 || *room.items == room.least) {
        continue;
      }
      const std::int64_t items = *room.items;
      const std::int64_t wanted = (too_much + room.item_bytes - 1) / room.item_bytes;
      const std::int64_t taken = std::min({wanted, std::max<std::int64_t>(items / 4, 1), items - room.least});
      *room.items = items - taken;
      const double loss = static_cast<double>(wall()) / static_cast<double>(taken * room.item_bytes);
      if (loss < least_loss) {
        least_loss = loss;
        cheapest = &room;
        left = *room.items;
      }
      *room.items = items;
    }
    *cheapest->items = left;
  }

  PipelineModel model_;
  std::vector<Room> rooms_;
  double kept_ = kKeptThroughput;  // of the throughput with unlimited room
  Tuning tuning_;
};

}  // namespace

Tuning tune(const Timeline& timeline, std::optional<std::int64_t> budget_bytes) {
  return Tuner{timeline, budget_bytes}.run();
}

std::int64_t Tuning::recorded_bytes() const {
  return std::accumulate(
      capacities.begin(), capacities.end(), std::int64_t{0},
      [](std::int64_t sum, const TunedCapacity& room) { return sum + room.recorded * room.item_bytes; });
}

std::int64_t Tuning::advised_bytes() const {
  return std::accumulate(
      capacities.begin(), capacities.end(), std::int64_t{0},
      [](std::int64_t sum, const TunedCapacity& room) { return sum + room.advised * room.item_bytes; });
}

}  // namespace dflash
