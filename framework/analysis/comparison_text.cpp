// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/comparison_text.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/report/number_text.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr double kSecond = 1e9;  // nanoseconds
constexpr std::size_t kWidestName = 40;

/// Two digits that count; whole from 10 on.
std::string percent(double share) {
  const double value = std::abs(share) * 100.0;
  return value < 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

/// Beyond that, percents are hard to read.
bool is_far(double ratio) {
  constexpr double kManyTimes = 5.0;
  constexpr double kFewTimes = 0.05;
  return ratio >= kManyTimes || ratio <= kFewTimes;
}

/// "4.0 % fewer" of a ratio of 0.96, "12.8 times as many".
std::string more_or_less(double ratio) {
  return is_far(ratio) ? fmt::format("{} times as many", rate_text(ratio))
                       : fmt::format("{} % {}", percent(ratio - 1.0), ratio < 1.0 ? "fewer" : "more");
}

std::string side_text(const std::vector<std::string>& runs, const std::optional<Estimate>& rate,
                      const std::string& unit) {
  return fmt::format("{}{}", fmt::join(runs, ", "), rate ? ": " + rate_text(*rate, unit) : "");
}

std::string seconds_text(double seconds) { return seconds > 0.0 ? duration_text(seconds * kSecond) : "-"; }

std::string word_of(const std::optional<Estimate>& ratio) {
  const Pace pace = pace_of(ratio);
  return pace == Pace::kUndecided ? "" : pace_name(pace);
}

std::string stages_text(const RunComparison& comparison) {
  TextTable table{{{"stage", TextTable::kLeft}, {"A"}, {"B"}, {"A/B"}, {"95 %"}, {"B is", TextTable::kLeft}}};
  for (const StageComparison& stage : comparison.stages) {
    table.row({shortened(stage.name, kWidestName), seconds_text(stage.a_s), seconds_text(stage.b_s),
               stage.ratio ? ratio_text(stage.ratio->value) : "-", stage.ratio ? bounds_text(*stage.ratio) : "-",
               word_of(stage.ratio)});
  }
  return table.text(2);
}

std::string edges_text(const RunComparison& comparison) {
  TextTable table{{{"edge", TextTable::kLeft}, {"inside A"}, {"inside B"}, {"A/B"}, {"95 %"}, {"fill A"}, {"fill B"}}};
  for (const EdgeComparison& edge : comparison.edges) {
    table.row({shortened(edge.name, kWidestName), seconds_text(edge.a_s), seconds_text(edge.b_s),
               edge.ratio ? ratio_text(edge.ratio->value) : "-", edge.ratio ? bounds_text(*edge.ratio) : "-",
               fmt::format("{:.1f}", edge.fill_a), fmt::format("{:.1f}", edge.fill_b)});
  }
  return table.text(2);
}

}  // namespace

std::string ratio_text(double ratio) {
  constexpr double kPlain = 10.0;  // between its inverse and that, three digits behind the point
  return ratio < kPlain && ratio > 1.0 / kPlain ? fmt::format("{:.3f}", ratio) : rate_text(ratio);
}

std::string bounds_text(const Estimate& ratio) {
  return fmt::format("{} to {}", ratio_text(ratio.low), ratio_text(ratio.high));
}

std::string change_text(const Estimate& ratio, const std::string& unit) {
  if (is_far(ratio.value)) {
    return fmt::format("{} times as many {} (95 %: {} to {})", rate_text(ratio.value), unit, rate_text(ratio.low),
                       rate_text(ratio.high));
  }
  std::string bounds = fmt::format("{} to {}", more_or_less(ratio.low), more_or_less(ratio.high));
  const bool in_percent = !is_far(ratio.low) && !is_far(ratio.high);
  if (in_percent && ratio.high < 1.0) {
    bounds = fmt::format("{} to {} %", percent(1.0 - ratio.high), percent(1.0 - ratio.low));
  } else if (in_percent && ratio.low > 1.0) {
    bounds = fmt::format("{} to {} %", percent(ratio.low - 1.0), percent(ratio.high - 1.0));
  }
  return fmt::format("{} {} (95 %: {})", more_or_less(ratio.value), unit, bounds);
}

std::string rate_text(const Estimate& rate, const std::string& unit) {
  return fmt::format("{} {} ({} to {})", rate_text(rate.value), unit, rate_text(rate.low), rate_text(rate.high));
}

std::string loss_text(const LossDifference& losses) {
  if (!losses.equal) {
    return "no losses to compare";
  }
  if (*losses.equal) {
    return "equal losses";
  }
  return fmt::format("losses differ by up to {:.2g} % (step {})", losses.largest * 100.0, losses.step);
}

std::string comparison_sentence(const RunComparison& comparison) {
  const Throughput& throughput = comparison.throughput;
  const std::string losses = loss_text(comparison.losses);
  if (!throughput.ratio) {
    return fmt::format("Undecided: {}; {}.",
                       throughput.reason.empty() ? "too few steps or firings to say" : throughput.reason, losses);
  }
  const std::string found = change_text(*throughput.ratio, throughput.unit);
  if (comparison.result == Pace::kUndecided) {
    return fmt::format("Undecided: B makes {}, which may be noise; {}.", found, losses);
  }
  if (comparison.is_spread_measured) {
    return fmt::format("B is {}: {}, {}.", pace_name(comparison.result), found, losses);
  }
  return fmt::format("B ran {}: {}, {}. {}", pace_name(comparison.result), found, losses,
                     comparison.is_one_graph
                         ? "The graphs do not differ: this is how far runs of one graph lie apart here."
                         : "So few runs cannot tell a change from what else the machine did; `sweep`, or several runs "
                           "of each side, can.");
}

std::string comparison_text(const RunComparison& comparison, std::size_t width) {
  const Throughput& throughput = comparison.throughput;
  std::string text = wrapped("", comparison_sentence(comparison), width);
  text += fmt::format("\nA: {}\nB: {}\n", side_text(comparison.runs_a, throughput.rate_a, throughput.unit),
                      side_text(comparison.runs_b, throughput.rate_b, throughput.unit));
  if (!comparison.stages.empty()) {
    text += "\nStages: mean time of a firing (on a device: of its work there)\n" + stages_text(comparison);
  }
  if (!comparison.edges.empty()) {
    text += "\nEdges: mean time of an item inside, mean fill in items\n" + edges_text(comparison);
  }
  if (!comparison.notes.empty()) {
    text += "\nNotes\n";
    for (const std::string& note : comparison.notes) {
      text += wrapped("  - ", note, width);
    }
  }
  return text;
}

}  // namespace dflash
