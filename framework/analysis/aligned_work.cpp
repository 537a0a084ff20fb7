// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/aligned_work.h"

#include <algorithm>
#include <span>
#include <utility>

namespace dflash {
namespace {

constexpr std::size_t kWarmUpShare = 10;  // one in so many samples, and at least one

bool has_lower_number(const WorkSample& left, const WorkSample& right) { return left.number < right.number; }

/// The samples of `series` that `other` has too.
WorkSeries common(const WorkSeries& series, const WorkSeries& other) {
  WorkSeries both;
  std::ranges::set_intersection(series, other, std::back_inserter(both), has_lower_number);
  return both;
}

std::span<const WorkSample> without_warm_up(const WorkSeries& series) {
  const std::size_t left_out = (series.size() + kWarmUpShare - 1) / kWarmUpShare;
  return std::span{series}.subspan(left_out);
}

Blocks blocks_of(std::span<const WorkSample> samples, std::size_t count) {
  Blocks blocks;
  for (std::size_t i = 0; i < count; ++i) {
    double cost = 0.0;
    double work = 0.0;
    for (std::size_t k = samples.size() * i / count; k < samples.size() * (i + 1) / count; ++k) {
      cost += samples[k].cost;
      work += samples[k].work;
    }
    blocks.push_back(cost / work);
  }
  return blocks;
}

std::size_t shortest(const std::vector<WorkSeries>& runs) {
  std::size_t least = runs.empty() ? 0 : runs.front().size();
  for (const WorkSeries& run : runs) {
    least = std::min(least, run.size());
  }
  return least;
}

}  // namespace

AlignedWork align(const std::vector<WorkSeries>& a, const std::vector<WorkSeries>& b) {
  std::vector<WorkSeries> runs = a;
  runs.insert(runs.end(), b.begin(), b.end());
  if (runs.empty()) {
    return {};
  }
  WorkSeries shared = runs.front();
  for (const WorkSeries& run : runs) {
    shared = common(shared, run);
  }
  AlignedWork aligned{.same_numbers = 2 * shared.size() >= shortest(runs)};
  if (aligned.same_numbers) {
    for (WorkSeries& run : runs) {
      run = common(run, shared);
    }
  }
  aligned.samples = without_warm_up(runs.front()).size();
  for (const WorkSeries& run : runs) {
    aligned.samples = std::min(aligned.samples, without_warm_up(run).size());
  }
  const std::size_t count = std::min(aligned.samples, kMostBlocks);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    (i < a.size() ? aligned.a : aligned.b).push_back(blocks_of(without_warm_up(runs[i]), count));
  }
  return aligned;
}

}  // namespace dflash
