// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/throughput.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "framework/analysis/aligned_work.h"
#include "framework/analysis/run_series.h"

namespace dflash {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr double kSameSize = 1e-3;  // of steps, as a share

/// Costs in nanoseconds as work a second: what costs most makes least.
std::optional<Estimate> rate_of(const std::vector<Blocks>& runs, double confidence) {
  const std::optional<Estimate> cost = mean_cost(runs, confidence);
  if (!cost) {
    return std::nullopt;
  }
  return Estimate{.value = 1.0 / (cost->value * kNanosecond),
                  .low = 1.0 / (cost->high * kNanosecond),
                  .high = 1.0 / (cost->low * kNanosecond)};
}

double mean_work(const WorkSeries& series) {
  double work = 0.0;
  for (const WorkSample& sample : series) {
    work += sample.work;
  }
  return work / static_cast<double>(std::max<std::size_t>(series.size(), 1));
}

/// Steps count alike unless each has its tokens, and not every run as many a step.
bool counts_tokens(const std::vector<WorkSeries>& runs) {
  const auto has_tokens = [](const WorkSample& sample) { return sample.work > 0.0; };
  const bool all_known =
      std::ranges::all_of(runs, [&](const WorkSeries& series) { return std::ranges::all_of(series, has_tokens); });
  return all_known && std::ranges::any_of(runs, [&](const WorkSeries& series) {
           return std::abs(mean_work(series) / mean_work(runs.front()) - 1.0) > kSameSize;
         });
}

void count_alike(std::vector<WorkSeries>& runs) {
  for (WorkSeries& series : runs) {
    for (WorkSample& sample : series) {
      sample.work = 1.0;
    }
  }
}

bool makes_steps(const RunRecords& run) { return !run.timeline.steps.empty(); }

WorkSeries progress_of(const RunRecords& run, bool by_steps) {
  if (by_steps) {
    return step_series(run.timeline, run.metrics);
  }
  const std::vector<StageTimeline>& stages = run.timeline.stages;
  return stages.empty() ? WorkSeries{} : pace_series(stages.back());
}

std::string unit_of(const RunRecords& run, bool by_steps, bool by_tokens) {
  if (by_steps) {
    return by_tokens ? "tokens/s" : "steps/s";
  }
  const std::vector<StageTimeline>& stages = run.timeline.stages;
  return fmt::format("firings/s of '{}'", stages.empty() ? "" : stages.back().name);
}

}  // namespace

Throughput compare_throughput(const std::vector<RunRecords>& a, const std::vector<RunRecords>& b, double confidence) {
  const bool by_steps = std::ranges::any_of(a, makes_steps) && std::ranges::any_of(b, makes_steps);
  std::vector<WorkSeries> all;
  for (const std::vector<RunRecords>* side : {&a, &b}) {
    for (const RunRecords& run : *side) {
      all.push_back(progress_of(run, by_steps));
    }
  }
  const bool by_tokens = by_steps && counts_tokens(all);
  if (!by_tokens) {
    count_alike(all);
  }
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(a.size());
  const AlignedWork work = align({all.begin(), middle}, {middle, all.end()});
  Throughput made{.ratio = cost_ratio(work.a, work.b, confidence),
                  .unit = unit_of(b.front(), by_steps, by_tokens),
                  .rate_a = rate_of(work.a, confidence),
                  .rate_b = rate_of(work.b, confidence),
                  .samples = work.samples};
  const char* what = by_steps ? "steps" : "firings";
  if (!made.ratio) {
    made.notes.push_back(
        fmt::format("too few {} to compare: {} of a run are left behind its first tenth", what, work.samples));
  } else if (!work.same_numbers) {
    made.notes.push_back(fmt::format("the runs have few {} in common, so each is measured over its own", what));
  }
  if (by_tokens) {
    made.notes.emplace_back("the runs do not have as many tokens a step, so tokens are compared");
  }
  return made;
}

}  // namespace dflash
