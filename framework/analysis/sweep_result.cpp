// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_result.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/analysis/comparison_text.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr std::size_t kColumns = 110;
constexpr std::size_t kWidestName = 60;

std::vector<RunRecords> records_of(const SweepRow& row) {
  std::vector<RunRecords> records;
  for (const SweepRun& run : row.runs) {
    if (run.records) {
      records.push_back(*run.records);
    }
  }
  return records;
}

LossDifference worst_loss(const std::vector<RunRecords>& first, const std::vector<RunRecords>& others) {
  LossDifference worst;
  for (const RunRecords& run : others) {
    const LossDifference found = loss_difference(first.front().metrics, run.metrics);
    if (!worst.equal || (found.equal == false && found.largest >= worst.largest)) {
      worst = found;
    }
  }
  return worst;
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
    for (const SweepRow& row : result_.rows) {
      records_.push_back(records_of(row));
    }
    compare_with_first();
    if (!result_.best) {
      result_.sentence = "No variant came to its end with enough steps to compare.";
      return;
    }
    find_rivals();
    result_.sentence = sentence();
  }

 private:
  void compare_with_first() {
    std::vector<SweepRow>& rows = result_.rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (records_[i].empty()) {
        continue;
      }
      result_.first = result_.first.value_or(i);
      rows[i].against_first = compare_throughput(records_[*result_.first], records_[i]);
      rows[i].losses = worst_loss(records_[*result_.first], records_[i]);
      const bool leads = !result_.best || is_faster(rows[i], rows[*result_.best]);
      if (rows[i].against_first->ratio && leads) {
        result_.best = i;
      }
    }
  }

  /// Those of which the fastest may be ahead by chance, and those that it surely leaves behind.
  void find_rivals() {
    const auto has_runs = [](const std::vector<RunRecords>& runs) { return !runs.empty(); };
    const auto compared = std::max<std::ptrdiff_t>(std::ranges::count_if(records_, has_runs) - 1, 1);
    const double confidence = 1.0 - (1.0 - kConfidence) / static_cast<double>(compared);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].empty() || i == *result_.best) {
        continue;
      }
      const Throughput against = compare_throughput(records_[i], records_[*result_.best], confidence);
      (pace_of(against.ratio) == Pace::kFaster ? beaten_ : rivals_).push_back(i);
    }
  }

  [[nodiscard]] const std::string& name(std::size_t row) const { return result_.rows[row].variant.name; }

  /// "12 % more steps/s (95 %: 9 to 15 %) than X, equal losses".
  [[nodiscard]] std::string lead() const {
    const std::size_t best = *result_.best;
    if (best == *result_.first) {
      return fmt::format("'{}', the first", name(best));
    }
    const SweepRow& row = result_.rows[best];
    return fmt::format("'{}' with {} than '{}', {}", name(best),
                       change_text(*row.against_first->ratio, row.against_first->unit), name(*result_.first),
                       loss_text(row.losses));
  }

  [[nodiscard]] std::string sentence() const {
    std::vector<std::string> rivals;
    std::ranges::transform(rivals_, std::back_inserter(rivals), [&](std::size_t row) { return "'" + name(row) + "'"; });
    if (rivals.empty() && beaten_.empty()) {
      return fmt::format("Only '{}' came to its end.", name(*result_.best));
    }
    if (beaten_.empty()) {
      return fmt::format("The variants cannot be told apart. The fastest was {}.", lead());
    }
    return fmt::format("The best is {}{}.", lead(),
                       rivals.empty() ? "" : fmt::format("; it cannot be told from {}", fmt::join(rivals, ", ")));
  }

  SweepResult& result_;
  std::vector<std::vector<RunRecords>> records_;  // of each row
  std::vector<std::size_t> rivals_;
  std::vector<std::size_t> beaten_;
};

std::string loss_cell(const LossDifference& losses) {
  if (!losses.equal) {
    return "-";
  }
  return *losses.equal ? "equal" : fmt::format("differ by {:.2g} %", losses.largest * 100.0);
}

std::vector<std::string> cells_of(const SweepRow& row) {
  const std::string name = shortened(row.variant.name, kWidestName);
  const auto runs = std::to_string(records_of(row).size());
  if (!row.against_first || !row.against_first->ratio) {
    return {name, runs, "-", "-", "-", "-", "-"};
  }
  const Estimate& ratio = *row.against_first->ratio;
  const Pace pace = pace_of(ratio);
  return {name,
          runs,
          rate_text(*row.against_first->rate_b, row.against_first->unit),
          fmt::format("{:.3f}", ratio.value),
          fmt::format("{:.3f} to {:.3f}", ratio.low, ratio.high),
          pace == Pace::kUndecided ? "" : pace_name(pace),
          loss_cell(row.losses)};
}

Json run_json(const SweepRun& run) {
  return {{"round", run.round}, {"run_dir", run.run_dir}, {"code", run.code}, {"text", run.text}};
}

Json estimate_json(const std::optional<Estimate>& estimate) {
  return estimate ? Json{{"value", estimate->value}, {"low", estimate->low}, {"high", estimate->high}} : Json();
}

Json row_json(const SweepRow& row) {
  const Throughput against = row.against_first.value_or(Throughput{});
  Json json{{"name", row.variant.name},
            {"overlay", row.variant.overlays},
            {"swap", row.variant.swaps},
            {"set", row.variant.sets},
            {"result", pace_name(pace_of(against.ratio))},
            {"ratio", against.ratio ? Json(against.ratio->value) : Json()},
            {"low", against.ratio ? Json(against.ratio->low) : Json()},
            {"high", against.ratio ? Json(against.ratio->high) : Json()},
            {"unit", against.unit},
            {"rate", estimate_json(against.rate_b)},
            {"equal_loss", row.losses.equal ? Json(*row.losses.equal) : Json()}};
  json["runs"] = Json::array();
  for (const SweepRun& run : row.runs) {
    json["runs"].push_back(run_json(run));
  }
  return json;
}

}  // namespace

RunRecords kept_records(RunRecords records) {
  Timeline& timeline = records.timeline;
  if (timeline.stages.size() > 1) {
    timeline.stages.erase(timeline.stages.begin(), timeline.stages.end() - 1);
  }
  if (!timeline.stages.empty()) {
    StageTimeline& last = timeline.stages.front();
    last.spans.clear();
    last.device_spans.clear();
    last.device_firings.clear();
  }
  timeline.edges.clear();
  timeline.buffers.clear();
  timeline.devices.clear();
  return records;
}

SweepResult judge_sweep(std::vector<SweepRow> rows) {
  SweepResult result{.rows = std::move(rows)};
  Judgement{result}.judge();
  return result;
}

std::string sweep_text(const SweepResult& result) {
  TextTable table{{{"variant", TextTable::kLeft},
                   {"runs"},
                   {"rate (95 %)", TextTable::kLeft},
                   {"ratio"},
                   {"95 %"},
                   {"", TextTable::kLeft},
                   {"losses", TextTable::kLeft}}};
  std::string failed;
  for (const SweepRow& row : result.rows) {
    table.row(cells_of(row));
    for (const SweepRun& run : row.runs) {
      if (!run.records) {
        failed += wrapped("  ", fmt::format("{} failed with code {}: {}", run.run_dir, run.code, run.text), kColumns);
      }
    }
  }
  return fmt::format("{}{}{}\n{}", table.text(2), failed.empty() ? "" : "\n", failed,
                     wrapped("", result.sentence, kColumns));
}

Json sweep_json(const SweepResult& result) {
  Json json{{"variants", Json::array()}};
  for (const SweepRow& row : result.rows) {
    json["variants"].push_back(row_json(row));
  }
  json["best"] = result.best ? Json(result.rows[*result.best].variant.name) : Json();
  json["sentence"] = result.sentence;
  return json;
}

}  // namespace dflash
