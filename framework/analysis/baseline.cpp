// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/baseline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "framework/core/error.h"
#include "framework/report/number_text.h"

namespace dflash {

Baseline replay_baseline(const PipelineModel& model) {
  Baseline baseline{.run = replay(model)};
  const auto recorded = static_cast<double>(std::max<std::int64_t>(model.wall_ns, 1));
  baseline.error = std::abs(static_cast<double>(baseline.run.timeline.wall_ns) - recorded) / recorded;
  return baseline;
}

std::string baseline_text(double error) {
  constexpr double kExact = 5e-4;
  return error < kExact
             ? "Replayed as it was, the run takes its recorded time, as it must; how near a prediction comes is "
               "another "
               "matter."
             : fmt::format("Replayed as it was, the run misses its recorded time by {}; a prediction may miss by more.",
                           percent_text(error));
}

void require_faithful(const Baseline& baseline, const PipelineModel& model, const std::string& so) {
  const bool has_events =
      std::ranges::any_of(model.stages, [](const ModelStage& stage) { return !stage.firings.empty(); });
  DFLASH_USER_CHECK(has_events, "the run's timeline holds no firings; {}", so);
  const std::string replayed = duration_text(static_cast<double>(baseline.run.timeline.wall_ns));
  const std::string recorded = duration_text(static_cast<double>(model.wall_ns));
  DFLASH_USER_CHECK(baseline.run.has_finished, "the replay of the run as it was stands still after {} of {}; {}",
                    replayed, recorded, so);
  DFLASH_USER_CHECK(baseline.error <= kMostBaselineError,
                    "the replay of the run as it was takes {} where {} were recorded, off by {}, allowed: {}; {}",
                    replayed, recorded, percent_text(baseline.error), percent_text(kMostBaselineError), so);
}

}  // namespace dflash
