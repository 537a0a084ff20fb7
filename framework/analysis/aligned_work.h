// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/analysis/block_ratio.h"

namespace dflash {

/// One step, firing or item: its number in its run, what it cost, how much work it did.
struct WorkSample {
  std::int64_t number = 0;
  double cost = 0.0;
  double work = 1.0;
};

/// Numbers ascend.
using WorkSeries = std::vector<WorkSample>;

/// The same part of the work out of several runs, cut into blocks of consecutive samples: cost divided by work of each.
struct AlignedWork {
  std::vector<Blocks> a;
  std::vector<Blocks> b;
  std::size_t samples = 0;   // of the shortest run
  bool same_numbers = true;  // every run's samples have the same numbers
};

/// Takes the samples whose numbers all runs have, without their first tenth: there the queues fill and caches are cold.
/// Where that would leave less than half of the shortest run, each run stands for itself, cut in as many blocks.
AlignedWork align(const std::vector<WorkSeries>& a, const std::vector<WorkSeries>& b);

}  // namespace dflash
