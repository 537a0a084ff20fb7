// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/tuning.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "framework/analysis/baseline.h"
#include "framework/analysis/pipeline_model.h"
#include "framework/analysis/pipeline_replay.h"
#include "framework/core/error.h"
#include "framework/report/number_text.h"

namespace dflash {
namespace {

constexpr double kKeptThroughput = 0.99;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t item_bytes) {
  return bytes / item_bytes + (bytes % item_bytes > 0 ? 1 : 0);
}

/// A capacity that may be changed.
struct Room {
  std::int64_t* items;  // in the model
  std::int64_t least = 1;
  std::int64_t carried = 0;  // that many are as good as unlimited
  TunedCapacity capacity;

  [[nodiscard]] std::int64_t bytes() const { return capacity.bytes_of(*items); }
  [[nodiscard]] std::int64_t least_bytes() const { return capacity.bytes_of(least); }
  /// The fewest items that may hold as much.
  [[nodiscard]] std::int64_t useful_items() const { return std::min(*items, rounded_up(bytes(), capacity.item_bytes)); }
};

/// Numbers of bytes that are too large for the type stay at its end: capacities may be as good as endless.
std::int64_t product(std::int64_t items, std::int64_t bytes) {
  std::int64_t all = 0;
  return __builtin_mul_overflow(items, bytes, &all) ? std::numeric_limits<std::int64_t>::max() : all;
}

std::int64_t sum(std::int64_t left, std::int64_t right) {
  std::int64_t both = 0;
  return __builtin_add_overflow(left, right, &both) ? std::numeric_limits<std::int64_t>::max() : both;
}

/// What all of `list` come to by `bytes_of`.
template <class List, class BytesOf>
std::int64_t sum_of(const List& list, const BytesOf& bytes_of) {
  return std::accumulate(list.begin(), list.end(), std::int64_t{0},
                         [&](std::int64_t all, const auto& item) { return sum(all, std::invoke(bytes_of, item)); });
}

class Tuner {
 public:
  Tuner(const Timeline& timeline, const TuningLimits& limits) : model_{model_of(timeline)} {
    const Baseline baseline = replay_baseline(model_);
    require_faithful(baseline, model_, "so it can advise nothing");
    tuning_.wall_ns = baseline.run.timeline.wall_ns;
    tuning_.baseline_error = baseline.error;
    tuning_.replayed_since_ns = model_.begins_at_ns;
    tuning_.budget_bytes = limits.budget_bytes;
    for (ModelEdge& edge : model_.edges) {
      if (edge.blocks && !edge.is_feedback) {
        add({.items = &edge.capacity_items,
             .carried = edge.items,
             .capacity = {.name = edge.name, .item_bytes = edge.largest_bytes}});
      }
    }
    for (ModelBuffer& buffer : model_.buffers) {
      add({.items = &buffer.capacity_items,
           .least = std::max<std::int64_t>(buffer.min_ready, 1),
           .carried = buffer.items,
           .capacity = {
               .name = model_.stages[buffer.stage].name, .is_buffer = true, .item_bytes = buffer.largest_bytes}});
    }
    for (Room& room : rooms_) {
      if (const auto found = limits.most_bytes.find(room.capacity.name); found != limits.most_bytes.end()) {
        room.capacity.most_bytes = found->second;
      }
    }
  }

  Tuning run() {
    for (Room& room : rooms_) {
      *room.items = std::max(room.carried, room.least);
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
    for (Room& room : rooms_) {
      room.capacity.advised = *room.items;
      tuning_.capacities.push_back(std::move(room.capacity));
    }
    return std::move(tuning_);
  }

 private:
  void add(Room room) {
    room.capacity.recorded = *room.items;
    rooms_.push_back(std::move(room));
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
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return std::pair{rooms_[i].capacity.is_buffer, -rooms_[i].capacity.item_bytes};
    });
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

  [[nodiscard]] std::int64_t bytes() const { return sum_of(rooms_, &Room::bytes); }

  void fit_budget() {
    if (!tuning_.budget_bytes) {
      return;
    }
    const std::int64_t least = sum_of(rooms_, &Room::least_bytes);
    DFLASH_USER_CHECK(least <= *tuning_.budget_bytes,
                      "--bytes {}: allowed: at least {}, which the smallest capacities hold",
                      bytes_text(*tuning_.budget_bytes), bytes_text(least));
    while (bytes() > *tuning_.budget_bytes) {
      take_from_cheapest(bytes() - *tuning_.budget_bytes);
    }
  }

  /// Takes a quarter, or as much as is too much, from the room that loses least time a byte by it; among equals from
  /// the one that gives most.
  void take_from_cheapest(std::int64_t too_much) {
    const auto before = static_cast<double>(wall());
    Room* cheapest = nullptr;
    std::int64_t left = 0;
    std::pair best{std::numeric_limits<double>::infinity(), 0.0};  // time lost a byte, less the bytes
    for (Room& room : rooms_) {
      if (room.bytes() == room.least_bytes()) {
        continue;
      }
      const std::int64_t items = *room.items;
      const std::int64_t held = room.bytes();
      *room.items = smaller(room, too_much);
      const auto freed = static_cast<double>(held - room.bytes());
      const std::pair found{(static_cast<double>(wall()) - before) / freed, -freed};
      if (found < best) {
        best = found;
        cheapest = &room;
        left = *room.items;
      }
      *room.items = items;
    }
    *cheapest->items = left;
  }

  static std::int64_t smaller(const Room& room, std::int64_t too_much) {
    const std::int64_t items = room.useful_items();
    const std::int64_t wanted = rounded_up(too_much, room.capacity.item_bytes);
    return std::max(items - std::min(wanted, std::max<std::int64_t>(items / 4, 1)), room.least);
  }

  PipelineModel model_;
  std::vector<Room> rooms_;
  double kept_ = kKeptThroughput;  // of the throughput with unlimited room
  Tuning tuning_;
};

}  // namespace

Tuning tune(const Timeline& timeline, const TuningLimits& limits) { return Tuner{timeline, limits}.run(); }

std::int64_t TunedCapacity::bytes_of(std::int64_t items) const {
  const std::int64_t all = product(items, item_bytes);
  return most_bytes ? std::min(all, std::max(*most_bytes, item_bytes)) : all;
}

std::int64_t Tuning::recorded_bytes() const {
  return sum_of(capacities, [](const TunedCapacity& room) { return room.bytes_of(room.recorded); });
}

std::int64_t Tuning::advised_bytes() const {
  return sum_of(capacities, [](const TunedCapacity& room) { return room.bytes_of(room.advised); });
}

}  // namespace dflash
