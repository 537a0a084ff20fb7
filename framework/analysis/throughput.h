// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "framework/analysis/block_ratio.h"
#include "framework/analysis/run_records.h"

namespace dflash {

/// How fast runs came on.
struct Throughput {
  std::optional<Estimate> ratio;  // of b divided by a; none: too few steps
  std::string unit;               // "steps/s", "tokens/s", "firings/s of 'sink'"
  std::optional<Estimate> rate_a;
  std::optional<Estimate> rate_b;
  std::size_t samples = 0;         // steps of each run that were compared
  std::vector<std::string> notes;  // what to know beside the figures, a sentence each
};

/// By the time of the same steps; by their tokens where the runs do not have as many a step; for graphs that make no
/// steps by the firings of their last stage.
Throughput compare_throughput(const std::vector<RunRecords>& a, const std::vector<RunRecords>& b,
                              double confidence = kConfidence);

}  // namespace dflash
