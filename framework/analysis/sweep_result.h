// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/analysis/loss_difference.h"
#include "framework/analysis/run_progress.h"
#include "framework/analysis/sweep_plan.h"
#include "framework/analysis/throughput.h"

namespace dflash {

/// A run of a sweep: a variant in a round.
struct SweepRun {
  std::int64_t round = 1;
  std::string run_dir;
  int code = 0;  // how it ended
  std::string text;
  std::optional<RunProgress> progress;  // of a run that came to its end
};

/// A variant with its runs, and what they are against those of the first variant that has any.
struct SweepRow {
  SweepVariant variant;
  std::vector<SweepRun> runs;
  std::optional<Throughput> against_first;  // none: no run of it came to its end
  LossDifference losses;
};

struct SweepResult {
  std::vector<SweepRow> rows;
  std::optional<std::size_t> first;    // what the others are compared with
  std::optional<std::size_t> fastest;  // by its figures
  std::optional<std::size_t> best;     // the fastest, where it surely is so, or nothing else came to its end
  std::string sentence;                // which is best, or that they cannot be told apart
};

/// Judges the rows anew: compares all variants with the first, and the fastest with each other one, by the rounds that
/// all of them have. Which is the fastest is seen in the same figures, so to say that it is faster than others, the
/// bounds of all pairs of variants together shall hold with the usual confidence: each is wider than that of a single
/// comparison. It is the best where several runs show how far they differ, and it surely
/// leaves another one behind and is the first or surely ahead of it: a change that may do nothing is not worth making.
void judge(SweepResult& result);

}  // namespace dflash
