// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/telemetry/timeline.h"

namespace dflash {

/// The room of one edge or buffer.
struct TunedCapacity {
  std::string name;
  bool is_buffer = false;
  std::int64_t recorded = 0;                 // items
  std::int64_t advised = 0;                  // items
  std::int64_t item_bytes = 0;               // of the largest item; 0 where items do not say
  std::optional<std::int64_t> most_bytes{};  // that the graph lets it hold, whatever the items

  /// The most that so many items hold; one item has room always.
  [[nodiscard]] std::int64_t bytes_of(std::int64_t items) const;
};

/// What a tuning has to heed.
struct TuningLimits {
  std::optional<std::int64_t> budget_bytes{};        // of all edges and buffers together
  std::map<std::string, std::int64_t> most_bytes{};  // of single ones, by their names
};

struct Tuning {
  std::vector<TunedCapacity> capacities;
  double baseline_error = 0.0;
  std::int64_t wall_ns = 0;       // by the replay: as recorded,
  std::int64_t unlimited_ns = 0;  // with room for everything,
  std::int64_t advised_ns = 0;    // and as advised
  std::int64_t replayed_since_ns = 0;
  std::optional<std::int64_t> budget_bytes;
  /// The advised capacities keep 99 % of the throughput of unlimited ones; else the budget forbids it.
  bool keeps_throughput = true;

  [[nodiscard]] std::int64_t recorded_bytes() const;
  [[nodiscard]] std::int64_t advised_bytes() const;
};

/// Looks for the smallest capacities with which the replay of a run has at least 99 % of the throughput that unlimited
/// ones would give it: edges before buffers, largest items first. Where these hold more than the budget, what loses
/// least time a byte is made smaller still. Edges that drop or lead back keep theirs. Throws UserError as `what_if`
/// does, and where the budget is below what the smallest capacities hold.
[[nodiscard]] Tuning tune(const Timeline& timeline, const TuningLimits& limits = {});

}  // namespace dflash
