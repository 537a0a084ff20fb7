// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include <gmock/gmock.h>

#include "framework/runtime/executor.h"
#include "tests/framework/test_stages.h"
#include "tests/support/temporary_folder.h"

namespace dflash {

using Build = std::function<StepStage&(Graph&)>;

inline constexpr std::int64_t kSteps = 40;

struct TrainingRun {
  std::vector<std::int64_t> seen;
  std::int64_t total = 0;
  RunRecord record;
};

/// Runs to kSteps; at step `cut_at` saves a cut into `folder`.
inline TrainingRun run(const Build& build, const std::filesystem::path& resume_from = {}, std::int64_t cut_at = 0,
                       const std::filesystem::path& folder = {}) {
  Graph graph;
  StepStage& step = build(graph);
  RunOptions options;
  options.steps = kSteps;
  options.resume_from = resume_from;
  options.between_steps = [&](std::int64_t now, Firing&, const SaveCut& save) {
    if (now == cut_at) {
      save(folder);
    }
  };
  TrainingRun result;
  result.record = Executor{graph, options}.run();
  result.seen = step.seen;
  result.total = step.total;
  return result;
}

/// Cuts at several steps; each resumed run must see exactly what the whole run saw after the cut.
inline void expect_exact_resume(const Build& build, std::int64_t accumulate) {
  const TrainingRun whole = run(build);
  ASSERT_THAT(whole.seen, testing::SizeIs(kSteps * accumulate));
  for (const std::int64_t cut_at : {1, 2, 3, 7, 8, 19}) {
    const TemporaryFolder folder;
    (void)run(build, {}, cut_at, folder.path());
    const TrainingRun resumed = run(build, folder.path());
    EXPECT_EQ(resumed.record.outcome.code, 0) << resumed.record.outcome.text;
    EXPECT_EQ(resumed.record.steps, kSteps - cut_at);
    EXPECT_EQ(resumed.total, whole.total);
    EXPECT_THAT(resumed.seen, testing::ElementsAreArray(whole.seen.begin() + cut_at * accumulate, whole.seen.end()))
        << "cut at step " << cut_at;
  }
}

}  // namespace dflash
