// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/run_comparison.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/analysis/aligned_work.h"
#include "framework/analysis/run_differences.h"
#include "framework/analysis/run_series.h"
#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr double kNanosecond = 1e-9;

template <class Named>
const Named* find(const std::vector<Named>& list, const std::string& name) {
  const auto found = std::ranges::find(list, name, &Named::name);
  return found == list.end() ? nullptr : &*found;
}

std::string type_of(const RunRecords& run, const std::string& stage) {
  for (const Json& entry : run.report.value("stages", Json::array())) {
    if (entry.value("name", "") == stage) {
      return entry.value("type", "");
    }
  }
  return "";
}

/// Edges and buffers are rows of the report under one name each.
const std::vector<ItemEvent>* items_of(const RunRecords& run, const std::string& name) {
  if (const EdgeTimeline* edge = find(run.timeline.edges, name)) {
    return &edge->items;
  }
  for (const BufferTimeline& buffer : run.timeline.buffers) {
    if (run.timeline.stages.at(buffer.stage).name == name) {
      return &buffer.items;
    }
  }
  return nullptr;
}

double fill_of(const std::vector<RunRecords>& runs, const std::string& name) {
  double sum = 0.0;
  for (const RunRecords& run : runs) {
    for (const Json& entry : run.report.value("edges", Json::array())) {
      sum += entry.value("name", "") == name ? entry.value("mean_fill", 0.0) : 0.0;
    }
  }
  return sum / static_cast<double>(runs.size());
}

double mean_seconds(const std::vector<Blocks>& runs) {
  const std::optional<Estimate> mean = mean_cost(runs);
  return mean ? mean->value * kNanosecond : 0.0;
}

class Comparison {
 public:
  Comparison(const std::vector<RunRecords>& a, const std::vector<RunRecords>& b) : a_{a}, b_{b} {
    DFLASH_CHECK(!a.empty() && !b.empty(), "a side without a run");
  }

  RunComparison compare() {
    std::ranges::transform(a_, std::back_inserter(made_.runs_a), &RunRecords::name);
    std::ranges::transform(b_, std::back_inserter(made_.runs_b), &RunRecords::name);
    compare_progress();
    compare_stages();
    compare_edges();
    note_lone_stages("A", a_.front(), b_.front());
    note_lone_stages("B", b_.front(), a_.front());
    if (made_.is_one_graph) {
      note("the graphs do not differ");
    }
    for (std::string& difference : run_differences(a_, b_)) {
      note(std::move(difference));
    }
    note_unknown_spread();
    return std::move(made_);
  }

 private:
  using SeriesOf = std::function<WorkSeries(const RunRecords& run)>;

  void compare_progress() {
    std::vector<RunProgress> a;
    std::vector<RunProgress> b;
    std::ranges::transform(a_, std::back_inserter(a), progress_of);
    std::ranges::transform(b_, std::back_inserter(b), progress_of);
    made_.throughput = compare_throughput(pointers_to(a), pointers_to(b));
    made_.result = pace_of(made_.throughput.ratio);
    made_.is_spread_measured = free_degrees(a_.size(), b_.size()) >= kFewestDegrees;
    // What --record adds is no part of the graph.
    made_.is_one_graph = graph_differences(a_.front().graph, b_.front().graph).empty() &&
                         std::ranges::equal(a_.front().timeline.stages, b_.front().timeline.stages, {},
                                            &StageTimeline::name, &StageTimeline::name);
    made_.notes = made_.throughput.notes;
    compare_losses(a, b);
  }

  void note_unknown_spread() {
    constexpr const char* kRemedy = "more runs of each side measure it: compare A1,A2 B1,B2, or sweep";
    if (free_degrees(a_.size(), b_.size()) == 0) {
      note(fmt::format("with so few runs, how far one lies from the next is not measured but assumed ({:.0f} %); {}",
                       kAssumedRunSpread * 100.0, kRemedy));
    } else if (!made_.is_spread_measured) {
      note(fmt::format("three runs hardly show how far one lies from the next, so the bounds are wide; {}", kRemedy));
    }
  }

  /// Each sentence once: a run may stand on both sides.
  void note(std::string text) {
    if (std::ranges::find(made_.notes, text) == made_.notes.end()) {
      made_.notes.push_back(std::move(text));
    }
  }

  [[nodiscard]] AlignedWork aligned(const SeriesOf& series_of) const {
    std::vector<WorkSeries> a;
    std::vector<WorkSeries> b;
    std::ranges::transform(a_, std::back_inserter(a), series_of);
    std::ranges::transform(b_, std::back_inserter(b), series_of);
    return align(a, b);
  }

  void compare_losses(const std::vector<RunProgress>& a, const std::vector<RunProgress>& b) {
    std::vector<const StepLosses*> losses;
    for (const std::vector<RunProgress>* side : {&a, &b}) {
      std::ranges::transform(*side, std::back_inserter(losses), [](const RunProgress& run) { return &run.losses; });
    }
    made_.losses = farthest_loss(losses);
  }

  void compare_stages() {
    for (const StageTimeline& stage : a_.front().timeline.stages) {
      if (find(b_.front().timeline.stages, stage.name) == nullptr) {
        continue;
      }
      const AlignedWork work = aligned([&](const RunRecords& run) {
        const StageTimeline* found = find(run.timeline.stages, stage.name);
        return found == nullptr ? WorkSeries{} : firing_series(*found);
      });
      made_.stages.push_back({.name = stage.name,
                              .type_a = type_of(a_.front(), stage.name),
                              .type_b = type_of(b_.front(), stage.name),
                              .a_s = mean_seconds(work.a),
                              .b_s = mean_seconds(work.b),
                              .ratio = cost_ratio(work.a, work.b)});
      const StageComparison& made = made_.stages.back();
      if (made.type_a != made.type_b) {
        note(fmt::format("stage '{}' is {} in A and {} in B", made.name, made.type_a, made.type_b));
      }
    }
  }

  void compare_edges() {
    for (const Json& entry : a_.front().report.value("edges", Json::array())) {
      const auto name = entry.value("name", std::string{});
      if (items_of(a_.front(), name) == nullptr || items_of(b_.front(), name) == nullptr) {
        continue;
      }
      const AlignedWork work = aligned([&](const RunRecords& run) {
        const std::vector<ItemEvent>* items = items_of(run, name);
        return items == nullptr ? WorkSeries{} : residence_series(*items);
      });
      made_.edges.push_back({.name = name,
                             .a_s = mean_seconds(work.a),
                             .b_s = mean_seconds(work.b),
                             .fill_a = fill_of(a_, name),
                             .fill_b = fill_of(b_, name),
                             .ratio = cost_ratio(work.a, work.b)});
    }
  }

  void note_lone_stages(const char* side, const RunRecords& run, const RunRecords& other) {
    std::vector<std::string> lone;
    for (const StageTimeline& stage : run.timeline.stages) {
      if (find(other.timeline.stages, stage.name) == nullptr) {
        lone.push_back(stage.name);
      }
    }
    if (!lone.empty()) {
      note(fmt::format("only {} has stage{} '{}'", side, lone.size() == 1 ? "" : "s", fmt::join(lone, "', '")));
    }
  }

  const std::vector<RunRecords>& a_;
  const std::vector<RunRecords>& b_;
  RunComparison made_;
};

}  // namespace

RunComparison compare_runs(const std::vector<RunRecords>& a, const std::vector<RunRecords>& b) {
  return Comparison{a, b}.compare();
}

}  // namespace dflash
