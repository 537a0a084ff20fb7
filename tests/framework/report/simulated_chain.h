// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/telemetry/run_record.h"

namespace dflash {

/// A chain of one-slot stages on virtual time, for records whose truth is known.
struct SimulatedChain {
  std::vector<std::string> names;
  std::vector<std::vector<std::int64_t>> service_ns;  // by stage and item
  std::int64_t capacity = 4;
};

/// Every stage takes the same time for each of `items` items.
SimulatedChain constant_chain(const std::vector<std::string>& names, const std::vector<std::int64_t>& service_ns,
                              std::int64_t items, std::int64_t capacity = 4);

/// Runs the chain by the recurrence start(i, n) = max(end(i, n-1), end(i-1, n), start(i+1, n-capacity)), and accounts
/// as the engine does: each waiting interval goes to the condition that was met last.
RunRecord simulate(const SimulatedChain& chain);

}  // namespace dflash
