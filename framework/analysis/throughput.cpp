// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/throughput.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "framework/analysis/aligned_work.h"

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

const WorkSeries* pace_of_stage(const RunProgress& run, const std::string& stage) {
  const auto found = std::ranges::find(run.paces, stage, &StagePace::stage);
  return found == run.paces.end() ? nullptr : &found->firings;
}

/// Empty where they have no stage in common.
std::string last_common_stage(const std::vector<const RunProgress*>& runs) {
  const std::vector<StagePace>& paces = runs.front()->paces;
  const auto found = std::find_if(paces.rbegin(), paces.rend(), [&](const StagePace& pace) {
    return std::ranges::all_of(runs,
                               [&](const RunProgress* run) { return pace_of_stage(*run, pace.stage) != nullptr; });
  });
  return found == paces.rend() ? "" : found->stage;
}

/// What all runs are measured by.
struct Yardstick {
  std::string unit;
  std::vector<WorkSeries> series;  // of each run
  bool by_steps = false;
  bool by_tokens = false;
};

/// Without a unit where there is none.
Yardstick yardstick_of(const std::vector<const RunProgress*>& runs) {
  Yardstick found{.by_steps = runs.front()->makes_steps};
  for (const RunProgress* run : runs) {
    if (run->makes_steps != found.by_steps) {
      return {};
    }
  }
  const std::string stage = found.by_steps ? "" : last_common_stage(runs);
  if (!found.by_steps && stage.empty()) {
    return {};
  }
  for (const RunProgress* run : runs) {
    found.series.push_back(found.by_steps ? run->steps : *pace_of_stage(*run, stage));
  }
  found.by_tokens = found.by_steps && counts_tokens(found.series);
  if (!found.by_tokens) {
    count_alike(found.series);
  }
  found.unit = found.by_tokens ? "tokens/s" : found.by_steps ? "steps/s" : fmt::format("firings/s of '{}'", stage);
  return found;
}

/// Why there is no yardstick.
std::string no_yardstick(const std::vector<const RunProgress*>& runs) {
  const auto makes_steps = [](const RunProgress* run) { return run->makes_steps; };
  const auto makes = std::ranges::find_if(runs, makes_steps);
  const auto makes_none = std::ranges::find_if_not(runs, makes_steps);
  if (makes != runs.end() && makes_none != runs.end()) {
    return fmt::format("'{}' makes steps and '{}' makes none, so they have no work in common to compare",
                       (*makes)->name, (*makes_none)->name);
  }
  return "the runs make no steps and have no stage in common that takes all that comes to it";
}

}  // namespace

Throughput compare_throughput(const std::vector<const RunProgress*>& a, const std::vector<const RunProgress*>& b,
                              const Certainty& certainty) {
  std::vector<const RunProgress*> runs = a;
  runs.insert(runs.end(), b.begin(), b.end());
  const Yardstick found = yardstick_of(runs);
  if (found.unit.empty()) {
    return {.ratio = {}, .reason = no_yardstick(runs), .unit = {}, .rate_a = {}, .rate_b = {}, .notes = {}};
  }
  const auto middle = found.series.begin() + static_cast<std::ptrdiff_t>(a.size());
  const AlignedWork work = align({found.series.begin(), middle}, {middle, found.series.end()});
  Throughput made{.ratio = cost_ratio(work.a, work.b, certainty),
                  .reason = {},
                  .unit = found.unit,
                  .rate_a = rate_of(work.a, certainty.confidence),
                  .rate_b = rate_of(work.b, certainty.confidence),
                  .samples = work.samples,
                  .notes = {}};
  const char* what = found.by_steps ? "steps" : "firings";
  if (!made.ratio) {
    made.reason = fmt::format("too few {} to compare: {} of a run are left behind its first tenth", what, work.samples);
  } else if (!work.same_numbers) {
    made.notes.push_back(fmt::format("the runs have few {} in common, so each is measured over its own", what));
  }
  if (found.by_tokens) {
    made.notes.emplace_back("the runs do not have as many tokens a step, so tokens are compared");
  }
  return made;
}

}  // namespace dflash
