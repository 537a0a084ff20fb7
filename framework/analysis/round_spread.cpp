// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/round_spread.h"

#include <cstddef>

namespace dflash {

std::optional<RunSpread> round_spread(const std::vector<std::vector<double>>& log_costs) {
  const std::size_t variants = log_costs.size();
  const std::size_t rounds = log_costs.empty() ? 0 : log_costs.front().size();
  const int degrees = (static_cast<int>(variants) - 1) * (static_cast<int>(rounds) - 1);
  if (variants < 2 || degrees < kFewestDegrees) {
    return std::nullopt;
  }
  std::vector<double> of_variant(variants, 0.0);
  std::vector<double> of_round(rounds, 0.0);
  double mean = 0.0;
  for (std::size_t v = 0; v < variants; ++v) {
    for (std::size_t r = 0; r < rounds; ++r) {
      of_variant[v] += log_costs[v][r] / static_cast<double>(rounds);
      of_round[r] += log_costs[v][r] / static_cast<double>(variants);
      mean += log_costs[v][r] / static_cast<double>(variants * rounds);
    }
  }
  RunSpread spread{.degrees = degrees};
  for (std::size_t v = 0; v < variants; ++v) {
    for (std::size_t r = 0; r < rounds; ++r) {
      const double left = log_costs[v][r] - of_variant[v] - of_round[r] + mean;
      spread.squares += left * left;
    }
  }
  return spread;
}

}  // namespace dflash
