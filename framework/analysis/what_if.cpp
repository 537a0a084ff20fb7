// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/what_if.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/analysis/baseline.h"
#include "framework/analysis/pipeline_replay.h"
#include "framework/analysis/stage_gains.h"
#include "framework/core/error.h"
#include "framework/core/graph.h"
#include "framework/core/nearest_name.h"
#include "framework/report/number_text.h"
#include "framework/report/seconds.h"
#include "framework/report/sound_timeline.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr double kLeastTimes = 1e-3;
constexpr double kMostTimes = 1e6;
constexpr double kMostCapacity = 1e9;
constexpr auto kMostReplicas = static_cast<double>(Placement::kMostReplicas);
constexpr std::size_t kColumns = 120;

struct KindWords {
  const char* option;
  const char* allowed;
  double least;
  double most;
  bool is_whole;
};

const KindWords& words_of(Change::Kind kind) {
  static const KindWords speedup{"--speedup", "STAGE=TIMES, as drafter=1.5, with TIMES from 0.001 to 1000000",
                                 kLeastTimes, kMostTimes, false};
  static const KindWords capacity{"--capacity", "EDGE=ITEMS or BUFFER=ITEMS, as queue=60, with at least 1 item", 1,
                                  kMostCapacity, true};
  static const KindWords replicas{"--replicas", "STAGE=NUMBER, as target=2, from 1 to 1024", 1, kMostReplicas, true};
  switch (kind) {
    case Change::Kind::kSpeedup:
      return speedup;
    case Change::Kind::kCapacity:
      return capacity;
    case Change::Kind::kReplicas:
      break;
  }
  return replicas;
}

std::optional<double> number_in(std::string_view text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  return is_number && std::isfinite(number) ? std::optional{number} : std::nullopt;
}

std::string without_blanks(std::string_view text) {
  std::string name{text};
  std::erase_if(name, [](char letter) { return letter == ' ' || letter == '\t'; });
  return name;
}

ModelStage& find_stage(PipelineModel& model, const Change& change) {
  const auto found = std::ranges::find(model.stages, change.name, &ModelStage::name);
  if (found == model.stages.end()) {
    std::vector<std::string> names(model.stages.size());
    std::ranges::transform(model.stages, names.begin(), &ModelStage::name);
    throw UserError(fmt::format("{} {}: the run has no such stage{}", words_of(change.kind).option, change.name,
                                suggestion(change.name, names)));
  }
  return *found;
}

void set_buffer_capacity(ModelBuffer& buffer, const Change& change) {
  const auto items = static_cast<std::int64_t>(change.value);
  DFLASH_USER_CHECK(items >= buffer.min_ready, "--capacity {}: found {}, allowed: at least {}, which is its min_ready",
                    change.name, items, buffer.min_ready);
  buffer.capacity_items = items;
}

void set_capacity(PipelineModel& model, const Change& change) {
  for (ModelBuffer& buffer : model.buffers) {
    if (model.stages[buffer.stage].name == change.name) {
      set_buffer_capacity(buffer, change);
      return;
    }
  }
  const auto edge = std::ranges::find(model.edges, change.name, &ModelEdge::name);
  if (edge == model.edges.end()) {
    std::vector<std::string> names(model.edges.size());
    std::ranges::transform(model.edges, names.begin(), &ModelEdge::name);
    for (const ModelBuffer& buffer : model.buffers) {
      names.push_back(model.stages[buffer.stage].name);
    }
    throw UserError(fmt::format("--capacity {}: the run has no such edge or buffer{}", change.name,
                                suggestion(change.name, names)));
  }
  edge->capacity_items = static_cast<std::int64_t>(change.value);
}

void set_replicas(PipelineModel& model, const Change& change) {
  ModelStage& stage = find_stage(model, change);
  const auto index = static_cast<std::size_t>(&stage - model.stages.data());
  const auto replicas = static_cast<std::int64_t>(change.value);
  const char* why = model.buffer_of(index) != nullptr ? "a buffer"
                    : stage.inputs.empty()            ? "a source"
                    : model.step_stage == index       ? "the stage that makes the steps"
                                                      : nullptr;
  DFLASH_USER_CHECK(why == nullptr || replicas == 1, "--replicas {}: found {}, allowed: 1, since it is {}", change.name,
                    replicas, why);
  // A lane has a worker for each slot, unless it is one thread.
  const bool is_ample = model.scarce_workers(stage.lane) == 0;
  const bool is_one_thread = std::ranges::any_of(
      model.stages, [&](const ModelStage& other) { return other.lane == stage.lane && !other.device.empty(); });
  const auto lane = std::ranges::find(model.lanes, stage.lane, &LaneRecord::name);
  if (lane != model.lanes.end() && is_ample && !is_one_thread) {
    lane->workers += std::max<std::int64_t>(replicas - stage.slots, 0) + 1;
  }
  stage.slots = replicas;
}

std::string change_text(const Change& change) {
  switch (change.kind) {
    case Change::Kind::kSpeedup:
      return fmt::format("'{}' {:.4g} times as fast", change.name, change.value);
    case Change::Kind::kCapacity:
      return fmt::format("room for {} in '{}'", count_text(static_cast<std::int64_t>(change.value), "item"),
                         change.name);
    case Change::Kind::kReplicas:
      break;
  }
  return fmt::format("{} of '{}'", count_text(static_cast<std::int64_t>(change.value), "replica"), change.name);
}

/// Of all firings one after the other, at their stages' speeds.
double work_of(const PipelineModel& model) {
  double sum = 0.0;
  for (const ModelStage& stage : model.stages) {
    const auto add = [&](const FiringWork& work) {
      const double scaled = static_cast<double>(work.host_ns) + static_cast<double>(work.device_ns);
      sum += scaled / stage.speed + static_cast<double>(work.between_ns);
    };
    std::ranges::for_each(stage.firings, add);
    std::ranges::for_each(stage.pops, add);
    add(stage.drain);
  }
  return sum;
}

void require_countable(double ns, const char* what, const std::vector<std::string>& changes) {
  constexpr auto kMost = static_cast<double>(kMostTimeNs);
  DFLASH_USER_CHECK(ns <= kMost, "with {} {} would take {}, allowed: at most {}", fmt::join(changes, ", "), what,
                    duration_text(ns), duration_text(kMost));
}

/// How many times as long the changed run takes.
double ratio_of(const WhatIf& result) {
  return static_cast<double>(result.changed_ns) / static_cast<double>(std::max<std::int64_t>(result.replayed_ns, 1));
}

/// How many times as fast it is.
double speedup_of(const WhatIf& result) {
  const double ratio = ratio_of(result);
  return ratio > 0.0 ? 1.0 / ratio : 0.0;
}

}  // namespace

Change parse_change(Change::Kind kind, std::string_view text) {
  const KindWords& words = words_of(kind);
  const std::size_t equals = text.rfind('=');
  std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  if (kind == Change::Kind::kSpeedup && value.ends_with('x')) {
    value.remove_suffix(1);
  }
  const std::optional<double> number = number_in(value);
  const bool is_fit =
      number && *number >= words.least && *number <= words.most && (!words.is_whole || *number == std::floor(*number));
  const std::string name = without_blanks(text.substr(0, std::min(equals, text.size())));
  DFLASH_USER_CHECK(is_fit && !name.empty(), "{} {}: allowed: {}", words.option, text, words.allowed);
  return {.kind = kind, .name = name, .value = *number};
}

void require_single(const std::vector<Change>& changes) {
  for (auto change = changes.begin(); change != changes.end(); ++change) {
    const auto same = std::find_if(changes.begin(), change, [&](const Change& earlier) {
      return earlier.kind == change->kind && earlier.name == change->name;
    });
    DFLASH_USER_CHECK(same == change, "{} {}: found {:.4g} and {:.4g}, allowed: one value",
                      words_of(change->kind).option, change->name, same->value, change->value);
  }
}

void apply(const Change& change, PipelineModel& model) {
  switch (change.kind) {
    case Change::Kind::kSpeedup:
      find_stage(model, change).speed *= change.value;
      return;
    case Change::Kind::kCapacity:
      set_capacity(model, change);
      return;
    case Change::Kind::kReplicas:
      set_replicas(model, change);
      return;
  }
}

WhatIf what_if(const Timeline& timeline, const std::vector<Change>& changes) {
  const PipelineModel recorded = model_of(timeline);
  PipelineModel changed = recorded;
  WhatIf result{.changes = {}, .wall_ns = timeline.wall_ns, .replayed_since_ns = recorded.begins_at_ns};
  for (const Change& change : changes) {
    apply(change, changed);
    result.changes.push_back(change_text(change));
  }
  const Baseline before = replay_baseline(recorded);
  require_faithful(before, recorded, "so a prediction from it is worth nothing");
  result.baseline_error = before.error;
  result.replayed_ns = before.run.timeline.wall_ns;
  require_countable(work_of(changed), "all firings one after the other", result.changes);
  const Replayed after = replay(changed);
  result.changed_ns = after.timeline.wall_ns;
  DFLASH_USER_CHECK(after.has_finished, "with {} the run would stand still after {}", fmt::join(result.changes, ", "),
                    duration_text(static_cast<double>(result.changed_ns)));
  const double predicted = static_cast<double>(result.wall_ns) * ratio_of(result);
  require_countable(predicted, "the run", result.changes);
  result.predicted_wall_ns = std::llround(predicted);
  result.verdict = weighed(judge(after.record), after.record, stage_gains(changed, after));
  return result;
}

std::string what_if_text(const WhatIf& result) {
  std::string text = fmt::format("recorded:  {}\n", duration_text(static_cast<double>(result.wall_ns)));
  if (result.replayed_since_ns > 0) {
    text += fmt::format("replayed:  from {} on, since older events are no longer kept\n",
                        duration_text(static_cast<double>(result.replayed_since_ns)));
  }
  text += wrapped("baseline:  ", baseline_text(result.baseline_error), kColumns);
  text += wrapped(
      "predicted: ",
      fmt::format("{} with {}: {:.2f} times as fast", duration_text(static_cast<double>(result.predicted_wall_ns)),
                  result.changes.empty() ? "no change" : fmt::format("{}", fmt::join(result.changes, ", ")),
                  speedup_of(result)),
      kColumns);
  text += wrapped("then:      ", result.verdict.text, kColumns);
  for (const std::string& note : result.notes) {
    text += wrapped("note:      ", note, kColumns);
  }
  return text;
}

Json what_if_json(const WhatIf& result) {
  return {{"baseline_error", result.baseline_error},
          {"wall_s", seconds(result.wall_ns)},
          {"predicted_wall_s", seconds(result.predicted_wall_ns)},
          {"speedup", speedup_of(result)},
          {"verdict", verdict_json(result.verdict)},
          {"changes", result.changes},
          {"notes", result.notes},
          {"replayed_since_s", seconds(result.replayed_since_ns)},
          {"replayed_wall_s", seconds(result.replayed_ns)},
          {"replayed_changed_wall_s", seconds(result.changed_ns)}};
}

}  // namespace dflash
