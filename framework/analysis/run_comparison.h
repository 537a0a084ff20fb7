// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/analysis/block_ratio.h"
#include "framework/analysis/loss_difference.h"
#include "framework/analysis/run_records.h"
#include "framework/analysis/throughput.h"

namespace dflash {

/// A stage that both sides have: the time of a firing, on a device that of its work there.
struct StageComparison {
  std::string name;
  std::string type_a;
  std::string type_b;
  double a_s = 0.0;  // mean
  double b_s = 0.0;
  std::optional<Estimate> ratio;  // of a's time divided by b's; none: too few firings
};

/// An edge, or the content of a buffer stage, that both sides have.
struct EdgeComparison {
  std::string name;
  double a_s = 0.0;  // mean time that an item was inside
  double b_s = 0.0;
  double fill_a = 0.0;  // mean, items
  double fill_b = 0.0;
  std::optional<Estimate> ratio;  // of a's time divided by b's
};

/// What runs of B are against runs of A. Above 1, every ratio says that B is faster.
struct RunComparison {
  std::vector<std::string> runs_a;
  std::vector<std::string> runs_b;
  Pace result = Pace::kUndecided;
  bool is_spread_measured = true;  // how far runs of one kind lie apart; else they are too few, and it is assumed
  bool is_one_graph = false;       // the graphs of both sides are equal
  Throughput throughput;
  LossDifference losses;
  std::vector<StageComparison> stages;
  std::vector<EdgeComparison> edges;
  std::vector<std::string> notes;  // what to know beside the figures, a sentence each
};

/// Compares two sides of at least one run each.
RunComparison compare_runs(const std::vector<RunRecords>& a, const std::vector<RunRecords>& b);

}  // namespace dflash
