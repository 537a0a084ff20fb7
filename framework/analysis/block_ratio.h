// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace dflash {

/// A figure and the bounds within which it lies with a given confidence.
struct Estimate {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

enum class Pace { kFaster, kSlower, kUndecided };

/// The most blocks that a run is cut into.
inline constexpr std::size_t kMostBlocks = 20;
inline constexpr double kConfidence = 0.95;
/// How far runs of one graph differ on one machine beyond the noise within them (a standard deviation, as a share);
/// assumed at least, as long as there are too few runs to measure it.
inline constexpr double kAssumedRunSpread = 0.02;
/// The degrees of freedom that it takes to measure it.
inline constexpr int kFewestDegrees = 2;

/// How far runs of one kind lie from one another: squares of the deviations of the logarithms of their costs, summed,
/// and how many of them are free.
struct RunSpread {
  double squares = 0.0;
  int degrees = 0;
};

/// How sure bounds shall be, and how far runs differ where that was measured by more runs than those compared.
struct Certainty {
  double confidence = kConfidence;
  std::optional<RunSpread> spread{};
};

/// What a piece of work has cost (nanoseconds a step, say) in each of a run's consecutive blocks. All runs that are
/// compared have as many blocks, and the same share of the work in each.
using Blocks = std::vector<double>;

/// The degrees of freedom that runs of two sides leave to measure how far those of one side differ.
int free_degrees(std::size_t runs_a, std::size_t runs_b);

/// The cost of `a`'s runs divided by that of `b`'s: above 1, `b` is faster. Nothing where a side has no run, a run less
/// than two blocks, or a cost that is not above zero.
std::optional<Estimate> cost_ratio(const std::vector<Blocks>& a, const std::vector<Blocks>& b,
                                   const Certainty& certainty = {});

/// The mean cost of runs of one kind. Nothing as above.
std::optional<Estimate> mean_cost(const std::vector<Blocks>& runs, double confidence = kConfidence);

/// Faster where all of the ratio lies above 1, slower where all of it lies below.
Pace pace_of(const std::optional<Estimate>& ratio);

/// "faster", "slower", "undecided".
const char* pace_name(Pace pace);

}  // namespace dflash
