// SPDX-License-Identifier: Apache-2.0
#include "framework/report/findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "framework/report/number_text.h"

namespace dflash {
namespace {

constexpr double kAheadOfDevice = 0.1;  // of a stage's time, in which its host waits for the device
constexpr double kFarBehind = 0.25;     // of its time on the device, by which that is behind the host
constexpr double kWorthNaming = 0.005;  // of all waiting
constexpr double kFewBetween = 0.03;    // of a stage's time, between steps

}  // namespace

const StageRecord* find_stage(const RunRecord& record, const std::string& name) {
  const auto found = std::find_if(record.stages.begin(), record.stages.end(),
                                  [&](const StageRecord& stage) { return stage.name == name; });
  return found == record.stages.end() ? nullptr : &*found;
}

Findings look_at(const RunRecord& record) {
  Findings findings{.record = record, .blame = walk_blame(record), .bound = throughput_bound(record)};
  double open = 0.0;
  for (std::size_t i = 0; i < record.stages.size(); ++i) {
    findings.most_used = std::max(findings.most_used, record.stages[i].utilisation(record.wall_ns));
    if (record.is_buffer(i)) {
      continue;
    }
    findings.least_loaded = std::min(findings.least_loaded, record.stages[i].load(record.wall_ns));
    open += static_cast<double>(record.stages[i].slots * record.wall_ns - record.stages[i].ended_ns);
  }
  findings.waiting_share = open <= 0.0 ? 0.0 : findings.blame.waiting_ns / open;
  return findings;
}

std::string bound_text(const Findings& findings) {
  const ThroughputBound& bound = findings.bound;
  if (bound.limits.empty() || bound.achieved <= 0.0) {
    return "";
  }
  const WallLimit& limit = bound.limits.front();
  return fmt::format(" The run made {} of at most {} {} that {} '{}' allows (gap {}).", rate_text(bound.achieved),
                     rate_text(bound.bound), bound.unit, limit.is_lane ? "lane" : "stage", limit.name,
                     percent_text(bound.gap));
}

std::string next_cause_text(const Findings& findings, const std::string& culprit) {
  const auto& causes = findings.blame.causes;
  const auto next =
      std::find_if(causes.begin(), causes.end(), [&](const WaitCause& cause) { return cause.name != culprit; });
  if (next == causes.end() || next->share < kWorthNaming) {
    return "";
  }
  const char* what = next->kind == WaitCause::Kind::kLane ? "lane" : "stage";
  return fmt::format(" Next cause: {} '{}' with {} of the waiting.", what, next->name, percent_text(next->share));
}

const WallLimit* next_limit(const Findings& findings, const std::string& culprit) {
  const auto& limits = findings.bound.limits;
  const auto limit = std::find_if(limits.begin(), limits.end(),
                                  [&](const WallLimit& other) { return !other.is_lane && other.name != culprit; });
  return limit == limits.end() || limit->wall_ns <= 0.0 ? nullptr : &*limit;
}

std::string next_limit_text(const Findings& findings, const std::string& culprit) {
  const WallLimit* limit = next_limit(findings, culprit);
  if (limit == nullptr || findings.bound.work <= 0.0) {
    return "";
  }
  return fmt::format(" Without it, '{}' would limit at {} {}.", limit->name, rate_text(findings.bound.rate_at(*limit)),
                     findings.bound.unit);
}

/// What of a stage takes its time. A span on the device has holes where the host launches too slowly, so it says
/// nothing; but a host that is ahead of the device waits for it, between its firings or, where they launch more than
/// the device's queue takes, within them.
VerdictKind body_kind_of(const StageRecord& stage) {
  if (stage.device_firings == 0) {
    return VerdictKind::kCpuBody;
  }
  const auto used = static_cast<double>(stage.used_ns() - stage.between_ns);
  const auto waited = static_cast<double>(stage.used_ns() - stage.own_body_ns());
  const bool is_far_behind =
      static_cast<double>(stage.gpu_lag_ns) >= kFarBehind * static_cast<double>(stage.gpu_span.sum());
  return waited >= kAheadOfDevice * used || is_far_behind ? VerdictKind::kGpuSpan : VerdictKind::kLaunch;
}

VerdictKind kind_of(const StageRecord& stage) {
  return 2 * stage.between_ns > stage.used_ns() ? VerdictKind::kBetweenSteps : body_kind_of(stage);
}

std::string between_text(const StageRecord& stage) {
  const double share =
      static_cast<double>(stage.between_ns) / static_cast<double>(std::max<std::int64_t>(stage.used_ns(), 1));
  return share < kFewBetween ? ""
                             : fmt::format(", of which {} between steps (evaluation, checkpoint)", percent_text(share));
}

}  // namespace dflash
