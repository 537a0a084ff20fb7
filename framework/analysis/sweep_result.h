// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/analysis/loss_difference.h"
#include "framework/analysis/run_records.h"
#include "framework/analysis/sweep_plan.h"
#include "framework/analysis/throughput.h"
#include "framework/core/json.h"

namespace dflash {

/// A run of a sweep: a variant in a round.
struct SweepRun {
  std::int64_t round = 1;
  std::string run_dir;
  int code = 0;  // how it ended
  std::string text;
  std::optional<RunRecords> records;  // of a run that came to its end
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
  std::optional<std::size_t> first;  // what the others are compared with
  std::optional<std::size_t> best;   // the fastest
  std::string sentence;              // which is best, or that they cannot be told apart
};

/// Keeps of a run's records what a sweep compares: steps, losses, the last stage. The rest is large.
RunRecords kept_records(RunRecords records);

/// Compares all variants with the first, and the fastest with each other one. To say that it is faster than they are,
/// all those bounds together shall hold with the usual confidence, so each is wider than that of a single comparison.
SweepResult judge_sweep(std::vector<SweepRow> rows);

/// A row for each variant, one for each run that failed, the sentence.
std::string sweep_text(const SweepResult& result);

/// sweep.json's {variants, best, sentence}.
Json sweep_json(const SweepResult& result);

}  // namespace dflash
