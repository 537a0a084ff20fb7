// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/stage_gains.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/analysis/baseline.h"
#include "framework/analysis/pipeline_replay.h"

namespace dflash {
namespace {

constexpr std::size_t kMostStages = 3;
constexpr double kSpeedup = 2.0;
constexpr double kWorthNaming = 1.05;

/// The time of its firings, on the host or on its device.
std::int64_t work_of(const ModelStage& stage) {
  std::int64_t host = 0;
  std::int64_t device = 0;
  for (const FiringWork& firing : stage.firings) {
    host += firing.host_ns;
    device += firing.device_ns;
  }
  return std::max(host, device) / std::max<std::int64_t>(stage.slots, 1);
}

std::vector<std::size_t> busiest_stages(const PipelineModel& model) {
  std::vector<std::size_t> stages;
  for (std::size_t i = 0; i < model.stages.size(); ++i) {
    if (model.buffer_of(i) == nullptr) {
      stages.push_back(i);
    }
  }
  std::ranges::stable_sort(stages, std::ranges::greater{}, [&](std::size_t i) { return work_of(model.stages[i]); });
  stages.resize(std::min(stages.size(), kMostStages));
  return stages;
}

/// Why the verdict names another stage than the one that most wait for.
std::string decision_text(const std::vector<StageGain>& gains, const std::string& named) {
  const StageGain& best = gains.front();
  const auto other = std::ranges::find(gains, named, &StageGain::stage);
  const std::string beside = other == gains.end() ? "" : fmt::format(", '{}' by {:.2f}", named, other->gain);
  return fmt::format(" A replay of the run decides for '{}': twice as fast, it speeds the run up by {:.2f}{}.",
                     best.stage, best.gain, beside);
}

}  // namespace

std::vector<StageGain> stage_gains(const Timeline& timeline) {
  const PipelineModel model = model_of(timeline);
  const Baseline before = replay_baseline(model);
  if (!before.run.has_finished || before.error > kMostBaselineError || before.run.timeline.wall_ns <= 0) {
    return {};
  }
  std::vector<StageGain> gains;
  for (const std::size_t stage : busiest_stages(model)) {
    PipelineModel changed = model;
    changed.stages[stage].speed *= kSpeedup;
    const Replayed after = replay(changed);
    const auto wall = static_cast<double>(std::max<std::int64_t>(after.timeline.wall_ns, 1));
    gains.push_back({.stage = model.stages[stage].name,
                     .speedup = kSpeedup,
                     .gain = static_cast<double>(before.run.timeline.wall_ns) / wall});
  }
  std::ranges::stable_sort(gains, std::ranges::greater{}, &StageGain::gain);
  return gains;
}

void weigh_stages(RunReport& report) {
  report.gains = stage_gains(report.record.timeline);
  if (report.gains.empty()) {
    return;
  }
  const StageGain& best = report.gains.front();
  Verdict& verdict = report.verdict;
  if (verdict.kind == "balanced" && best.gain >= kWorthNaming && best.stage != verdict.stage) {
    verdict.text += decision_text(report.gains, verdict.stage);
    verdict.stage = best.stage;
  }
}

}  // namespace dflash
