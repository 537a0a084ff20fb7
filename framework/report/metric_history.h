// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

inline constexpr const char* kHistorySchema = "dflash-live-history/1";

/// The metrics of a run so far, for curves: at first of each step that it is told of, later of some, so that it never
/// keeps more than a few hundred. From any thread.
class MetricHistory {
 public:
  static constexpr std::size_t kMost = 512;

  /// Steps rise; one that comes again brings newer figures.
  void add(std::int64_t step, const std::map<std::string, double>& metrics);
  /// {"schema", "step": [...], "metrics": {"loss": [...], ...}}, with null for what a step has not, or is not finite.
  [[nodiscard]] Json json() const;

 private:
  struct Sample {
    std::int64_t step = 0;
    std::map<std::string, double> metrics;
  };
  void thin_out();

  mutable std::mutex mutex_;  // guards all below
  std::vector<Sample> samples_;
  std::int64_t spacing_ = 1;  // steps between two
};

}  // namespace dflash
