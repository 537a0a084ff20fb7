// SPDX-License-Identifier: Apache-2.0
#include "framework/report/verdict.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/report/findings.h"
#include "framework/report/number_text.h"

namespace dflash {
namespace {

// Of all waiting: below, no single cause is worth naming as the bottleneck.
constexpr double kDominantShare = 0.4;
// Of the idlest stage's time, or of the wall that a second stage needs: above, nothing is left to win by one stage.
constexpr double kBusyEverywhere = 0.85;
// Of the busiest stage's time: below, waiting comes from bursts, not from a slow stage.
constexpr double kBurstyUtilisation = 0.75;
constexpr double kBurstyEdge = 0.05;        // of the wall, both full and empty
constexpr std::int64_t kFewestSwings = 10;  // between empty and full: fewer are phases of the run, no bursts
constexpr double kFullLane = 0.7;           // of the workers' time
constexpr double kHoldsLane = 0.5;          // of a lane's work, by one stage
constexpr double kHardlyAnyWaiting = 0.02;  // of the stages' time

/// A stage that needs nearly all of the wall too, so that a faster `culprit` alone brings next to nothing; null where
/// there is none.
const WallLimit* equal_of(const Findings& findings, const std::string& culprit) {
  const WallLimit* limit = next_limit(findings, culprit);
  const bool is_equal =
      limit != nullptr && limit->wall_ns >= kBusyEverywhere * static_cast<double>(findings.record.wall_ns);
  return is_equal ? limit : nullptr;
}

std::string next_text(const Findings& findings, const std::string& culprit) {
  return next_cause_text(findings, culprit) + next_limit_text(findings, culprit);
}

/// "busy 90 % of its time", with what of that was between steps.
std::string busy_text(const StageRecord& stage, std::int64_t wall_ns) {
  const std::string between = between_text(stage);
  return fmt::format("busy {} of its time{}{}", percent_text(stage.utilisation(wall_ns)), between,
                     between.empty() ? "" : ",");
}

/// Waiting for a worker has two reasons: all are busy, or they are idle and were woken late.
std::string lane_use_text(double used, const StageRecord* largest) {
  if (used < kFullLane) {
    return fmt::format(
        "Its workers are only {} busy, so they were woken late: other work takes the processor's cores, or the "
        "firings are very short.",
        percent_text(used));
  }
  const std::string most = largest == nullptr ? "" : fmt::format(", most of it in '{}'", largest->name);
  return fmt::format("Its workers are {} busy{}: more of them would help where cores are free.", percent_text(used),
                     most);
}

Verdict nothing_fired() { return {.text = "No verdict: no stage has fired.", .stage = ""}; }

Verdict hardly_any_waiting(const Findings& findings) {
  const auto& limits = findings.bound.limits;
  const auto top = std::find_if(limits.begin(), limits.end(), [](const WallLimit& limit) { return !limit.is_lane; });
  const StageRecord& stage = *find_stage(findings.record, top->name);
  Verdict verdict{.stage = stage.name, .kind = kind_of(stage), .share = 1.0};
  verdict.text = fmt::format("Stage '{}' is {} and hardly anything waits ({} of the stages' time).{}{}", stage.name,
                             busy_text(stage, findings.record.wall_ns), percent_text(findings.waiting_share),
                             bound_text(findings), next_text(findings, stage.name));
  return verdict;
}

struct LaneUse {
  std::int64_t workers = 1;
  std::int64_t stages = 0;
  double busy_ns = 0.0;
  const StageRecord* largest = nullptr;
};

LaneUse use_of_lane(const RunRecord& record, const std::string& name) {
  LaneUse use;
  const auto lane = std::ranges::find(record.lanes, name, &LaneRecord::name);
  use.workers = lane == record.lanes.end() ? 1 : std::max<std::int64_t>(lane->workers, 1);
  for (const StageRecord& stage : record.stages) {
    if (stage.lane == name) {
      ++use.stages;
      use.busy_ns += static_cast<double>(stage.busy_ns);
      use.largest = use.largest == nullptr || stage.busy_ns > use.largest->busy_ns ? &stage : use.largest;
    }
  }
  return use;
}

/// Who takes most of a lane's only worker is whom the other stages of that lane wait for.
std::optional<Verdict> holder_of_lane(const Findings& findings, const WaitCause& top) {
  const LaneUse use = use_of_lane(findings.record, top.name);
  const double used = use.busy_ns / static_cast<double>(findings.record.wall_ns);
  if (use.workers > 1 || use.largest == nullptr || used < kFullLane ||
      static_cast<double>(use.largest->busy_ns) < kHoldsLane * use.busy_ns) {
    return std::nullopt;
  }
  const StageRecord& stage = *use.largest;
  Verdict verdict{.stage = stage.name, .kind = kind_of(stage), .share = top.share};
  for (const WaitCause& cause : findings.blame.causes) {
    verdict.share += cause.name == stage.name ? cause.share : 0.0;
  }
  verdict.text = fmt::format(
      "Stage '{}' is the bottleneck ({}): it takes {} of the only worker of lane '{}', which {} stages share, and is "
      "the "
      "cause of {} of all waiting. On a lane of its own it would let the others go on beside it.{}{}",
      stage.name, kind_name(verdict.kind),
      percent_text(static_cast<double>(stage.busy_ns) / static_cast<double>(findings.record.wall_ns)), top.name,
      use.stages, percent_text(verdict.share), bound_text(findings), next_limit_text(findings, stage.name));
  return verdict;
}

Verdict short_of_workers(const Findings& findings, const WaitCause& top) {
  const auto [workers, stages, busy, largest] = use_of_lane(findings.record, top.name);
  const double used = busy / static_cast<double>(workers * findings.record.wall_ns);
  Verdict verdict{.stage = top.name, .kind = VerdictKind::kLane, .share = top.share};
  verdict.text = fmt::format(
      "Lane '{}' is the bottleneck: stages that were ready to fire waited for {}, the cause of {} of all "
      "waiting. {}{}{}",
      top.name, workers == 1 ? "its only worker" : fmt::format("one of its {} workers", workers),
      percent_text(top.share), lane_use_text(used, largest), bound_text(findings), next_cause_text(findings, top.name));
  return verdict;
}

/// By edge, of the stages at its ends. A buffer passes waiting on and has none of its own.
std::vector<double> waiting_by_edge(const RunRecord& record) {
  std::vector<double> waiting(record.edges.size());
  for (std::size_t i = 0; i < record.stages.size(); ++i) {
    if (record.is_buffer(i)) {
      continue;
    }
    for (const auto* waits : {&record.stages[i].starved_by, &record.stages[i].blocked_by}) {
      for (const EdgeWait& wait : *waits) {
        waiting[wait.edge] += static_cast<double>(wait.ns);
      }
    }
  }
  return waiting;
}

/// The edge with most waiting among those that swing between full and empty.
std::optional<std::size_t> bursty_edge(const RunRecord& record, const std::vector<double>& waiting) {
  const double least = kBurstyEdge * static_cast<double>(record.wall_ns);
  std::optional<std::size_t> worst;
  for (std::size_t i = 0; i < record.edges.size(); ++i) {
    const EdgeRecord& edge = record.edges[i];
    const bool bursty = static_cast<double>(edge.full_ns) >= least && static_cast<double>(edge.empty_ns) >= least &&
                        edge.swings >= kFewestSwings;
    if (bursty && !edge.is_buffer && (!worst || waiting[i] > waiting[*worst])) {
      worst = i;
    }
  }
  return worst;
}

std::optional<Verdict> too_small_an_edge(const Findings& findings) {
  const std::vector<double> waiting = waiting_by_edge(findings.record);
  const std::optional<std::size_t> worst = bursty_edge(findings.record, waiting);
  if (findings.most_used >= kBurstyUtilisation || !worst) {
    return std::nullopt;
  }
  const EdgeRecord& edge = findings.record.edges[*worst];
  const auto wall = static_cast<double>(findings.record.wall_ns);
  Verdict verdict{.stage = edge.name,
                  .kind = VerdictKind::kCapacity,
                  .share = std::min(waiting[*worst] / findings.blame.waiting_ns, 1.0)};
  verdict.text = fmt::format(
      "Bursts do not fit the edges: no stage is busy more than {} of its time. Edge '{}' with room for {} is full {} "
      "and empty {} of "
      "the time, {} of all waiting; a larger capacity would even it out.{}",
      percent_text(findings.most_used), edge.name, count_text(edge.capacity_items, "item"),
      percent_text(static_cast<double>(edge.full_ns) / wall), percent_text(static_cast<double>(edge.empty_ns) / wall),
      percent_text(verdict.share), bound_text(findings));
  return verdict;
}

Verdict balanced(const Findings& findings, const WaitCause& top) {
  Verdict verdict{.stage = top.name, .kind = VerdictKind::kBalanced, .share = top.share};
  verdict.text = fmt::format(
      "Balanced: nothing causes more than {} of the waiting ('{}'), and waiting is {} of the stages' time; the idlest "
      "stage "
      "is busy {}.{}{}",
      percent_text(top.share), top.name, percent_text(findings.waiting_share), percent_text(findings.least_loaded),
      bound_text(findings), next_limit_text(findings, top.name));
  return verdict;
}

/// Two stages that need nearly all of the wall each: the others wait for both.
Verdict two_equal(const Findings& findings, const WaitCause& top, const WallLimit& other) {
  const StageRecord& stage = *find_stage(findings.record, top.name);
  const StageRecord& second = *find_stage(findings.record, other.name);
  const auto wall = static_cast<double>(findings.record.wall_ns);
  Verdict verdict{.stage = top.name, .kind = VerdictKind::kBalanced, .share = top.share};
  verdict.text = fmt::format(
      "Balanced between '{}' ({}) and '{}' ({}): the one is busy {} of the time{}, the other {}{}, so that a faster "
      "'{}' "
      "alone brings at most {}. '{}' is the cause of {} of all waiting.{}",
      top.name, kind_name(kind_of(stage)), other.name, kind_name(kind_of(second)),
      percent_text(stage.load(findings.record.wall_ns)), between_text(stage), percent_text(other.wall_ns / wall),
      between_text(second), top.name, percent_text(wall / other.wall_ns - 1.0), top.name, percent_text(top.share),
      bound_text(findings));
  return verdict;
}

Verdict slow_stage(const Findings& findings, const WaitCause& top) {
  const bool source = top.kind == WaitCause::Kind::kSource;
  const StageRecord& stage = *find_stage(findings.record, top.name);
  Verdict verdict{.stage = top.name, .kind = source ? VerdictKind::kSource : kind_of(stage), .share = top.share};
  verdict.text = fmt::format("{} '{}' is the bottleneck ({}): {} and the cause of {} of all waiting.{}{}",
                             source ? "Source" : "Stage", top.name, kind_name(verdict.kind),
                             busy_text(stage, findings.record.wall_ns), percent_text(top.share), bound_text(findings),
                             next_text(findings, top.name));
  return verdict;
}

}  // namespace

const char* kind_name(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kNone:
      return "none";
    case VerdictKind::kCpuBody:
      return "cpu body";
    case VerdictKind::kGpuSpan:
      return "gpu span";
    case VerdictKind::kLaunch:
      return "launch";
    case VerdictKind::kBetweenSteps:
      return "between steps";
    case VerdictKind::kSource:
      return "source";
    case VerdictKind::kLane:
      return "lane";
    case VerdictKind::kCapacity:
      return "capacity";
    case VerdictKind::kBalanced:
      return "balanced";
  }
  return "";
}

Json verdict_json(const Verdict& verdict) {
  return {
      {"text", verdict.text}, {"stage", verdict.stage}, {"kind", kind_name(verdict.kind)}, {"share", verdict.share}};
}

Verdict judge(const RunRecord& record) {
  if (record.stages.empty()) {
    return {.text = "No verdict: the run was ended before its accounts could be read.", .stage = ""};
  }
  const bool fired =
      std::any_of(record.stages.begin(), record.stages.end(), [](const StageRecord& s) { return s.firings > 0; });
  if (!fired || record.wall_ns <= 0) {
    return nothing_fired();
  }
  const Findings findings = look_at(record);
  const std::size_t stages = record.stages.size();
  if (findings.blame.causes.empty() || (stages == 1 && findings.waiting_share < kHardlyAnyWaiting)) {
    return hardly_any_waiting(findings);
  }
  const WaitCause& top = findings.blame.causes.front();
  if (findings.least_loaded >= kBusyEverywhere) {
    return balanced(findings, top);
  }
  if (top.kind == WaitCause::Kind::kLane && top.share >= kDominantShare) {
    std::optional<Verdict> holder = holder_of_lane(findings, top);
    return holder ? *std::move(holder) : short_of_workers(findings, top);
  }
  if (std::optional<Verdict> verdict = too_small_an_edge(findings)) {
    return *std::move(verdict);
  }
  if (top.share < kDominantShare) {
    return balanced(findings, top);
  }
  if (const WallLimit* other = equal_of(findings, top.name)) {
    return two_equal(findings, top, *other);
  }
  return slow_stage(findings, top);
}

}  // namespace dflash
