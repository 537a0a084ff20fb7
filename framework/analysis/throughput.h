// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "framework/analysis/block_ratio.h"
#include "framework/analysis/run_progress.h"

namespace dflash {

/// How fast runs came on.
struct Throughput {
  std::optional<Estimate> ratio;  // of b's rate divided by a's
  std::string reason;             // why there is none
  std::string unit;               // "steps/s", "tokens/s", "firings/s of 'sink'"
  std::optional<Estimate> rate_a;
  std::optional<Estimate> rate_b;
  std::size_t samples = 0;         // steps of each run that were compared
  std::vector<std::string> notes;  // what to know beside the figures, a sentence each
};

/// By the time of the same steps; by their tokens where the runs do not have as many a step; where no run makes steps
/// by the firings of the last stage that all of them have and that takes all that comes to it.
Throughput compare_throughput(const std::vector<const RunProgress*>& a, const std::vector<const RunProgress*>& b,
                              const Certainty& certainty = {});

}  // namespace dflash
