// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_text.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/analysis/comparison_text.h"
#include "framework/report/number_text.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr std::size_t kColumns = 110;
constexpr std::size_t kWidestName = 60;

std::string loss_cell(const LossDifference& losses) {
  if (!losses.equal) {
    return "-";
  }
  return *losses.equal ? "equal" : fmt::format("differ by {:.2g} %", losses.largest * 100.0);
}

std::vector<std::string> cells_of(const SweepRow& row) {
  const std::string name = shortened(row.variant.name, kWidestName);
  const auto runs =
      std::to_string(std::ranges::count_if(row.runs, [](const SweepRun& run) { return run.progress.has_value(); }));
  if (!row.against_first || !row.against_first->ratio) {
    return {name, runs, "-", "-", "-", "-", "-"};
  }
  const Estimate& ratio = *row.against_first->ratio;
  const Pace pace = pace_of(ratio);
  return {name,
          runs,
          fmt::format("{} {}", rate_text(row.against_first->rate_b->value), row.against_first->unit),
          ratio_text(ratio.value),
          ratio.low < ratio.high ? bounds_text(ratio) : "",
          pace == Pace::kUndecided ? "" : pace_name(pace),
          loss_cell(row.losses)};
}

/// The sentence asks more of its bounds than a row does, so it may leave undecided what a row calls slower.
std::string meaning_of_rows(const SweepResult& result) {
  const auto has_ratio = [](const SweepRow& row) { return row.against_first && row.against_first->ratio; };
  return std::ranges::count_if(result.rows, has_ratio) < 2
             ? ""
             : "  Each row against the first alone, 95 %; which is best is judged by all together.\n";
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

std::string sweep_text(const SweepResult& result) {
  TextTable table{{{"variant", TextTable::kLeft},
                   {"runs"},
                   {"rate"},
                   {"ratio"},
                   {"95 %"},
                   {"", TextTable::kLeft},
                   {"losses", TextTable::kLeft}}};
  std::string failed;
  for (const SweepRow& row : result.rows) {
    table.row(cells_of(row));
    for (const SweepRun& run : row.runs) {
      if (!run.progress) {
        failed += wrapped("  ", fmt::format("{} failed with code {}: {}", run.run_dir, run.code, run.text), kColumns);
      }
    }
  }
  return fmt::format("{}{}{}{}\n{}", table.text(2), meaning_of_rows(result), failed.empty() ? "" : "\n", failed,
                     wrapped("", result.sentence, kColumns));
}

Json sweep_json(const SweepResult& result) {
  Json json{{"variants", Json::array()}};
  for (const SweepRow& row : result.rows) {
    json["variants"].push_back(row_json(row));
  }
  const auto name = [&](const std::optional<std::size_t>& row) {
    return row ? Json(result.rows[*row].variant.name) : Json();
  };
  json["best"] = name(result.best);
  json["fastest"] = name(result.fastest);
  json["sentence"] = result.sentence;
  return json;
}

}  // namespace dflash
