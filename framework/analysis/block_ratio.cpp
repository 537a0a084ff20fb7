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
// run into blocks can show. Several runs of a side show it; what happens within them is part of their spread, so that
// alone makes the bound, by Student's t with the degrees of freedom that the runs leave:
//
//     0         one run of each              nothing shows it, so it is assumed; beside it the noise within the runs
//     1         two runs against one         t is 12.7: two may be close by chance. No narrower than if it were assumed
//     2, more   two of each, three alone     t is 4.3 and falls
#include "framework/analysis/block_ratio.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "framework/analysis/student_t.h"
#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr std::size_t kCosines = 4;
constexpr double kManyDegrees = 1000.0;  // as good as normal

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

std::size_t cosines_of(const Blocks& noise) { return std::min(kCosines, noise.size() - 1); }

/// The variance of a mean over all blocks that the noise within the runs gives.
double variance_within(const Blocks& noise) {
  const std::size_t cosines = cosines_of(noise);
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
  return squares / static_cast<double>(cosines);
}

/// Half the width of the bounds. `share`: of one run's variance that the estimate has.
double half_width(const Blocks& noise, const RunSpread& spread, double share, double confidence) {
  const double measured =
      spread.degrees < 1 ? 0.0
                         : student_t(confidence, spread.degrees) * std::sqrt(spread.squares / spread.degrees * share);
  if (spread.degrees >= kFewestDegrees) {
    return measured;
  }
  const double within = variance_within(noise);
  const double assumed = share * kAssumedRunSpread * kAssumedRunSpread;
  // Of a sum of two variances of which one is known (Welch and Satterthwaite).
  const double known = (within + assumed) / std::max(within, std::numeric_limits<double>::min());
  const double degrees = known * known * static_cast<double>(cosines_of(noise));
  const double t = student_t(confidence, static_cast<int>(std::min(degrees, kManyDegrees)));
  return std::max(measured, t * std::sqrt(within + assumed));
}

Estimate around(double log_value, double half) {
  return {.value = std::exp(log_value), .low = std::exp(log_value - half), .high = std::exp(log_value + half)};
}

}  // namespace

int free_degrees(std::size_t runs_a, std::size_t runs_b) { return static_cast<int>(runs_a + runs_b) - 2; }

std::optional<Estimate> cost_ratio(const std::vector<Blocks>& a, const std::vector<Blocks>& b,
                                   const Certainty& certainty) {
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
  const RunSpread spread = certainty.spread.value_or(
      RunSpread{.squares = first->squares + second->squares, .degrees = free_degrees(first->runs, second->runs)});
  return around(first->log_cost - second->log_cost, half_width(noise, spread, share, certainty.confidence));
}

std::optional<Estimate> mean_cost(const std::vector<Blocks>& runs, double confidence) {
  const std::optional<Side> side = side_of(runs);
  if (!side) {
    return std::nullopt;
  }
  const RunSpread spread{.squares = side->squares, .degrees = static_cast<int>(side->runs) - 1};
  return around(side->log_cost,
                half_width(side->deviations, spread, 1.0 / static_cast<double>(side->runs), confidence));
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
