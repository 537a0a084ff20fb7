// SPDX-License-Identifier: Apache-2.0
// Two sources of noise
//
// Within a run, the durations of steps hang together: whatever slows one step (another program, a hot core) slows the
// next ones. The variance of a run's mean is then that of its slow changes, many times what the spread of single steps
// suggests. It is taken from the slowest changes that can be seen, the first few cosines over the run (an
// equal-weighted cosine estimate of the long-run variance, Student's t with as many degrees of freedom):
//
//     block   x x x x x x x x x x x x x x x x x x x x         20 means of consecutive steps
//     j = 1   ^^^^^^^^^^ - - - - - - - - - v v v v v v        each projection is one draw with the variance
//     j = 2   ^^^^^ - - - v v v v v - - - ^^^^^               that a mean over the whole run has
//
// Blocks of two runs stand for the same work, so it is their differences that are noise: a step that is long in both is
// none.
//
// Between runs, each has its own luck (where memory came to lie, what else the machine did), which no cutting of one
// run into blocks can show. Runs of one side show it, two degrees of freedom at the least; their spread contains that
// within the runs, so the wider bound of the two holds.
#include "framework/analysis/block_ratio.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "framework/analysis/student_t.h"
#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr std::size_t kCosines = 4;
constexpr int kFewestDegrees = 2;   // by which the spread between runs is measured
constexpr int kManyDegrees = 1000;  // as good as normal

/// The runs of one side: their mean in logarithms, and what deviates from it.
struct Side {
  double log_cost = 0.0;
  double squares = 0.0;  // of the runs' deviations from it
  Blocks deviations;     // of blocks from their run's mean, as shares of it; averaged over the runs
  std::size_t runs = 0;
};

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

std::optional<Side> side_of(const std::vector<Blocks>& runs) {
  if (runs.empty()) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(runs.size());
  Side side{.deviations = Blocks(runs.front().size(), 0.0), .runs = runs.size()};
  std::vector<double> logs;
  for (const Blocks& blocks : runs) {
    DFLASH_CHECK(blocks.size() == side.deviations.size(), "{} and {} blocks", blocks.size(), side.deviations.size());
    const double mean = blocks.size() < 2 ? 0.0 : mean_of(blocks);
    if (!(mean > 0.0) || !std::isfinite(mean)) {
      return std::nullopt;
    }
    logs.push_back(std::log(mean));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      side.deviations[i] += (blocks[i] / mean - 1.0) / count;
    }
  }
  side.log_cost = mean_of(logs);
  for (const double log : logs) {
    side.squares += (log - side.log_cost) * (log - side.log_cost);
  }
  return side;
}

/// Half the width of the bound that the noise within the runs gives.
double half_width_within(const Blocks& noise, double confidence) {
  const std::size_t cosines = std::min(kCosines, noise.size() - 1);
  const auto count = static_cast<double>(noise.size());
  double squares = 0.0;
  for (std::size_t j = 1; j <= cosines; ++j) {
    double projection = 0.0;
    for (std::size_t i = 0; i < noise.size(); ++i) {
      const double place = (static_cast<double>(i) + 0.5) / count;
      projection += noise[i] * std::numbers::sqrt2 * std::cos(std::numbers::pi * static_cast<double>(j) * place);
    }
    squares += projection * projection / (count * count);
  }
  return student_t(confidence, static_cast<int>(cosines)) * std::sqrt(squares / static_cast<double>(cosines));
}

/// The same, with what the spread between runs adds. `squares`: of the runs' deviations; `share`: of a run's variance
/// that the estimate has.
double half_width(const Blocks& noise, double squares, int degrees, double share, double confidence) {
  const double within = half_width_within(noise, confidence);
  if (degrees >= kFewestDegrees) {
    return std::max(within, student_t(confidence, degrees) * std::sqrt(squares / degrees * share));
  }
  const double variance = std::max(kAssumedRunSpread * kAssumedRunSpread, degrees > 0 ? squares / degrees : 0.0);
  return std::hypot(within, student_t(confidence, kManyDegrees) * std::sqrt(variance * share));
}

Estimate around(double log_value, double half) {
  return {.value = std::exp(log_value), .low = std::exp(log_value - half), .high = std::exp(log_value + half)};
}

}  // namespace

std::optional<Estimate> cost_ratio(const std::vector<Blocks>& a, const std::vector<Blocks>& b, double confidence) {
  const std::optional<Side> first = side_of(a);
  const std::optional<Side> second = side_of(b);
  if (!first || !second) {
    return std::nullopt;
  }
  DFLASH_CHECK(first->deviations.size() == second->deviations.size(), "{} and {} blocks", first->deviations.size(),
               second->deviations.size());
  Blocks noise = first->deviations;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    noise[i] -= second->deviations[i];
  }
  const double share = 1.0 / static_cast<double>(first->runs) + 1.0 / static_cast<double>(second->runs);
  const int degrees = static_cast<int>(first->runs + second->runs) - 2;
  return around(first->log_cost - second->log_cost,
                half_width(noise, first->squares + second->squares, degrees, share, confidence));
}

std::optional<Estimate> mean_cost(const std::vector<Blocks>& runs, double confidence) {
  const std::optional<Side> side = side_of(runs);
  if (!side) {
    return std::nullopt;
  }
  return around(side->log_cost, half_width(side->deviations, side->squares, static_cast<int>(side->runs) - 1,
                                           1.0 / static_cast<double>(side->runs), confidence));
}

Pace pace_of(const std::optional<Estimate>& ratio) {
  if (!ratio || (ratio->low <= 1.0 && ratio->high >= 1.0)) {
    return Pace::kUndecided;
  }
  return ratio->low > 1.0 ? Pace::kFaster : Pace::kSlower;
}

const char* pace_name(Pace pace) {
  switch (pace) {
    case Pace::kFaster:
      return "faster";
    case Pace::kSlower:
      return "slower";
    case Pace::kUndecided:
      return "undecided";
  }
  return "undecided";
}

}  // namespace dflash
