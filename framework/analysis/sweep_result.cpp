// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_result.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/analysis/comparison_text.h"
#include "framework/analysis/round_spread.h"

namespace dflash {
namespace {

using Runs = std::vector<const RunProgress*>;

/// Of the runs that came to their end, in the order of their rounds.
Runs runs_of(const SweepRow& row, const std::set<std::int64_t>& rounds) {
  Runs runs;
  for (const SweepRun& run : row.runs) {
    if (run.progress && rounds.contains(run.round)) {
      runs.push_back(&*run.progress);
    }
  }
  return runs;
}

std::set<std::int64_t> rounds_of(const SweepRow& row) {
  std::set<std::int64_t> rounds;
  for (const SweepRun& run : row.runs) {
    if (run.progress) {
      rounds.insert(run.round);
    }
  }
  return rounds;
}

/// The logarithm of what a step of a run cost; nothing where it has too few.
std::optional<double> log_cost(const RunProgress* run) {
  const std::optional<Estimate> rate = compare_throughput({run}, {run}).rate_a;
  return rate ? std::optional{-std::log(rate->value)} : std::nullopt;
}

/// Of a variant's runs against the first variant's first one.
LossDifference losses_against(const Runs& first, const Runs& runs) {
  std::vector<const StepLosses*> losses{&first.front()->losses};
  std::ranges::transform(runs, std::back_inserter(losses), [](const RunProgress* run) { return &run->losses; });
  return farthest_loss(losses);
}

bool is_faster(const SweepRow& left, const SweepRow& right) {
  const auto ratio = [](const SweepRow& row) {
    return row.against_first && row.against_first->ratio ? row.against_first->ratio->value : 0.0;
  };
  return ratio(left) > ratio(right);
}

class Judgement {
 public:
  explicit Judgement(SweepResult& result) : result_{result} {}

  void judge() {
    result_.first = result_.fastest = result_.best = std::nullopt;
    take_runs();
    compare_with_first();
    if (!result_.fastest) {
      result_.sentence = "No variant came to its end with enough steps to compare.";
      return;
    }
    find_rivals();
    const bool is_alone = rivals_.empty() && beaten_.empty();
    const bool may_be_first = std::ranges::find(rivals_, *result_.first) != rivals_.end();
    if (is_alone || (is_spread_measured() && !beaten_.empty() && !may_be_first)) {
      result_.best = result_.fastest;
    }
    result_.sentence = sentence();
  }

 private:
  /// Those of the rounds that all variants have, where these tell how far runs differ; else all.
  void take_runs() {
    std::set<std::int64_t> all;
    std::optional<std::set<std::int64_t>> complete;
    for (const SweepRow& row : result_.rows) {
      const std::set<std::int64_t> rounds = rounds_of(row);
      all.insert(rounds.begin(), rounds.end());
      if (rounds.empty()) {
        continue;
      }
      std::set<std::int64_t> both;
      std::ranges::set_intersection(complete.value_or(rounds), rounds, std::inserter(both, both.begin()));
      complete = std::move(both);
    }
    certainty_.spread = spread_of(complete.value_or(all));
    for (const SweepRow& row : result_.rows) {
      runs_.push_back(runs_of(row, certainty_.spread ? *complete : all));
    }
  }

  [[nodiscard]] std::optional<RunSpread> spread_of(const std::set<std::int64_t>& rounds) const {
    std::vector<std::vector<double>> logs;
    for (const SweepRow& row : result_.rows) {
      std::vector<double>& costs = logs.emplace_back();
      for (const RunProgress* run : runs_of(row, rounds)) {
        const std::optional<double> cost = log_cost(run);
        if (!cost) {
          return std::nullopt;
        }
        costs.push_back(*cost);
      }
    }
    std::erase_if(logs, [](const std::vector<double>& costs) { return costs.empty(); });
    return round_spread(logs);
  }

  void compare_with_first() {
    std::vector<SweepRow>& rows = result_.rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].against_first.reset();
      rows[i].losses = {};
      if (runs_[i].empty()) {
        continue;
      }
      result_.first = result_.first.value_or(i);
      rows[i].against_first = compare_throughput(runs_[*result_.first], runs_[i], certainty_);
      if (i == *result_.first && rows[i].against_first->ratio) {
        rows[i].against_first->ratio = Estimate{.value = 1.0, .low = 1.0, .high = 1.0};
      }
      rows[i].losses = losses_against(runs_[*result_.first], runs_[i]);
      const bool leads = !result_.fastest || is_faster(rows[i], rows[*result_.fastest]);
      if (rows[i].against_first->ratio && leads) {
        result_.fastest = i;
      }
    }
  }

  /// Those of which the fastest may be ahead by chance, and those that it surely leaves behind. By chance any one may
  /// be the fastest and any other the one behind, so the bounds of all pairs hold together (Bonferroni).
  void find_rivals() {
    const auto has_runs = [](const Runs& runs) { return !runs.empty(); };
    const auto compared = std::ranges::count_if(runs_, has_runs);
    const auto pairs = std::max<std::ptrdiff_t>(compared * (compared - 1) / 2, 1);
    Certainty together = certainty_;
    together.confidence = 1.0 - (1.0 - kConfidence) / static_cast<double>(pairs);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].empty() || i == *result_.fastest) {
        continue;
      }
      const Throughput against = compare_throughput(runs_[i], runs_[*result_.fastest], together);
      (pace_of(against.ratio) == Pace::kFaster ? beaten_ : rivals_).push_back(i);
    }
  }

  [[nodiscard]] const std::string& name(std::size_t row) const { return result_.rows[row].variant.name; }

  /// The second fastest; there is one wherever the fastest has a rival or beats one.
  [[nodiscard]] const SweepRow& next() const {
    std::vector<std::size_t> others = rivals_;
    others.insert(others.end(), beaten_.begin(), beaten_.end());
    return result_.rows[*std::ranges::min_element(others, [&](std::size_t left, std::size_t right) {
      return is_faster(result_.rows[left], result_.rows[right]);
    })];
  }

  /// "'Y' with 12 % more steps/s (95 %: 9.0 to 15 %) than 'X', equal losses".
  [[nodiscard]] std::string lead() const {
    const std::size_t best = *result_.fastest;
    if (best == *result_.first) {
      const SweepRow& row = next();
      return fmt::format(
          "'{}', the first; next is '{}'{}", name(best), row.variant.name,
          row.against_first->ratio ? " with " + change_text(*row.against_first->ratio, row.against_first->unit) : "");
    }
    const SweepRow& row = result_.rows[best];
    return fmt::format("'{}' with {} than '{}', {}", name(best),
                       change_text(*row.against_first->ratio, row.against_first->unit), name(*result_.first),
                       loss_text(row.losses));
  }

  /// Else it is assumed how far runs differ, and one of them may have been lucky.
  [[nodiscard]] bool is_spread_measured() const {
    return certainty_.spread ||
           free_degrees(runs_[*result_.fastest].size(), runs_[*result_.first].size()) >= kFewestDegrees;
  }

  [[nodiscard]] std::string sentence() const {
    std::vector<std::string> rivals;
    std::ranges::transform(rivals_, std::back_inserter(rivals), [&](std::size_t row) { return "'" + name(row) + "'"; });
    if (rivals.empty() && beaten_.empty()) {
      return fmt::format("Only '{}' came to its end.", name(*result_.fastest));
    }
    if (beaten_.empty()) {
      return fmt::format("The variants cannot be told apart. The fastest was {}.", lead());
    }
    if (!is_spread_measured()) {
      return fmt::format(
          "Single runs cannot tell a change from what else the machine did: give more --rounds. The "
          "fastest was {}.",
          lead());
    }
    return fmt::format("{} {}{}.",
                       result_.best ? "The best is" : "None is surely better than the first. The fastest was", lead(),
                       rivals.empty() ? "" : fmt::format("; it cannot be told from {}", fmt::join(rivals, ", ")));
  }

  SweepResult& result_;
  std::vector<Runs> runs_;  // of each row
  Certainty certainty_;
  std::vector<std::size_t> rivals_;
  std::vector<std::size_t> beaten_;
};

}  // namespace

void judge(SweepResult& result) { Judgement{result}.judge(); }

}  // namespace dflash
