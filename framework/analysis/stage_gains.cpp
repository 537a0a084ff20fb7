// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/stage_gains.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "framework/analysis/baseline.h"
#include "framework/report/blame_walk.h"
#include "framework/report/findings.h"
#include "framework/report/number_text.h"

namespace dflash {
namespace {

constexpr std::size_t kMostStages = 3;
constexpr double kSpeedup = 2.0;
constexpr double kClearGain = 1.25;
constexpr double kSmallBeside = 1.0 / 3.0;  // what the next stage may bring of what the first one does

/// The time of its firings, on the host or on its device.
double work_of(const ModelStage& stage) {
  std::int64_t host = 0;
  std::int64_t device = 0;
  for (const auto* works : {&stage.firings, &stage.pops}) {
    for (const FiringWork& firing : *works) {
      host += firing.host_ns;
      device += firing.device_ns;
    }
  }
  return static_cast<double>(std::max(host, device)) / (stage.speed * static_cast<double>(stage.slots));
}

std::vector<std::size_t> busiest_stages(const PipelineModel& model) {
  std::vector<std::size_t> stages(model.stages.size());
  std::iota(stages.begin(), stages.end(), std::size_t{0});
  std::ranges::stable_sort(stages, std::ranges::greater{}, [&](std::size_t i) { return work_of(model.stages[i]); });
  stages.resize(std::min(stages.size(), kMostStages));
  return stages;
}

/// Whether one stage alone is worth looking at.
bool is_clear(const std::vector<StageGain>& gains) {
  const double best = gains.front().gain;
  return best >= kClearGain && (gains.size() == 1 || gains[1].gain - 1.0 <= kSmallBeside * (best - 1.0));
}

std::string decision_text(const RunRecord& record, const std::vector<StageGain>& gains, const Verdict& verdict) {
  const StageGain& best = gains.front();
  std::string text = fmt::format(
      "Stage '{}' is the bottleneck ({}): if it were twice as fast, the run would be {:.2f} times as fast, by replay",
      best.stage, kind_name(verdict.kind), best.gain);
  if (gains.size() > 1) {
    const StageRecord& next = *find_stage(record, gains[1].stage);
    text += fmt::format("; with '{}', which is busy {} of its time{}, {:.2f} times", next.name,
                        percent_text(next.utilisation(record.wall_ns)), between_text(next), gains[1].gain);
  }
  return text + ".";
}

/// The stage's part of all waiting.
double share_of(const RunRecord& record, const std::string& stage) {
  const Blame blame = walk_blame(record);
  const auto cause = std::ranges::find(blame.causes, stage, &WaitCause::name);
  return cause == blame.causes.end() ? 0.0 : cause->share;
}

}  // namespace

std::vector<StageGain> stage_gains(const Timeline& timeline) {
  const PipelineModel model = model_of(timeline);
  const Baseline before = replay_baseline(model);
  const bool is_faithful = before.run.has_finished && before.error <= kMostBaselineError;
  return is_faithful ? stage_gains(model, before.run) : std::vector<StageGain>{};
}

std::vector<StageGain> stage_gains(const PipelineModel& model, const Replayed& run) {
  std::vector<StageGain> gains;
  if (run.timeline.wall_ns <= 0) {
    return gains;
  }
  for (const std::size_t stage : busiest_stages(model)) {
    PipelineModel changed = model;
    changed.stages[stage].speed *= kSpeedup;
    const Replayed after = replay(changed);
    if (!after.has_finished) {
      continue;
    }
    const auto wall = static_cast<double>(std::max<std::int64_t>(after.timeline.wall_ns, 1));
    gains.push_back({.stage = model.stages[stage].name,
                     .speedup = kSpeedup,
                     .gain = static_cast<double>(run.timeline.wall_ns) / wall});
  }
  std::ranges::stable_sort(gains, std::ranges::greater{}, &StageGain::gain);
  return gains;
}

Verdict weighed(Verdict verdict, const RunRecord& record, const std::vector<StageGain>& gains) {
  const StageRecord* best = gains.empty() ? nullptr : find_stage(record, gains.front().stage);
  if (verdict.kind == VerdictKind::kBalanced && best != nullptr && is_clear(gains)) {
    verdict.stage = best->name;
    verdict.kind = body_kind_of(*best);
    verdict.share = share_of(record, best->name);
    verdict.text = decision_text(record, gains, verdict);
  }
  return verdict;
}

void weigh_stages(RunReport& report) {
  report.gains = stage_gains(report.record.timeline);
  report.verdict = weighed(std::move(report.verdict), report.record, report.gains);
}

}  // namespace dflash
