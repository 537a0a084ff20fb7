// SPDX-License-Identifier: Apache-2.0
#include "framework/report/step_breakdown.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "framework/report/time_bins.h"
#include "framework/telemetry/whole_since.h"

namespace dflash {
namespace {

/// The steps of a run, in groups.
struct StepGroups {
  TimeBins bins;
  StepBreakdown breakdown;
  std::vector<double> steps;  // of each group
};

StepGroups group_steps(const Timeline& timeline, std::size_t most) {
  const std::int64_t since = whole_since(timeline);
  std::vector<StepEvent> ends = timeline.steps;
  std::sort(ends.begin(), ends.end(), [](const StepEvent& a, const StepEvent& b) { return a.at < b.at; });
  StepEvent before{.step = 0, .at = 0};
  const auto first = std::find_if(ends.begin(), ends.end(), [&](const StepEvent& end) { return end.at >= since; });
  if (since > 0 || timeline.steps_lost > 0) {
    before = first == ends.end() ? before : *first;
    ends.erase(ends.begin(), first == ends.end() ? first : first + 1);
  }
  const std::size_t size = std::max<std::size_t>((ends.size() + most - 1) / std::max<std::size_t>(most, 1), 1);
  StepBreakdown breakdown;
  std::vector<std::int64_t> bounds{before.at};
  std::vector<double> steps;
  for (std::size_t begin = 0; begin < ends.size(); begin += size) {
    const std::size_t last = std::min(begin + size, ends.size()) - 1;
    if (ends[last].at <= bounds.back()) {
      continue;
    }
    const auto count = static_cast<double>(last - begin + 1);
    breakdown.first_step.push_back(ends[begin].step);
    breakdown.last_step.push_back(ends[last].step);
    breakdown.wall_ns.push_back(static_cast<double>(ends[last].at - bounds.back()) / count);
    bounds.push_back(ends[last].at);
    steps.push_back(count);
  }
  return {TimeBins{std::move(bounds)}, std::move(breakdown), std::move(steps)};
}

/// One stage's work on one clock. The last part takes what is in no span.
template <class Event>
std::vector<StepPart> parts_of(const std::vector<Event>& firings, const std::vector<SpanEvent>& spans,
                               const StageTimeline& stage, const StepGroups& groups) {
  std::vector<StepPart> parts(stage.span_names.size() + 1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].span = i < stage.span_names.size() ? stage.span_names[i] : "";
    parts[i].ns.resize(groups.bins.size());
  }
  const auto add = [&](StepPart& part, double sign, std::int64_t from, std::int64_t to) {
    groups.bins.cut(from, to, [&](std::size_t group, std::int64_t ns) {
      part.ns[group] += sign * static_cast<double>(ns) / groups.steps[group];
    });
  };
  for (const Event& firing : firings) {
    add(parts.back(), 1.0, firing.begin, firing.end);
  }
  for (const SpanEvent& span : outer_spans(spans)) {
    add(parts[static_cast<std::size_t>(span.name)], 1.0, span.begin, span.end);
    add(parts.back(), -1.0, span.begin, span.end);
  }
  // Spans on a device are measured by marks of their own, which may lie a little outside of the firing's.
  for (double& ns : parts.back().ns) {
    ns = std::max(ns, 0.0);
  }
  std::erase_if(parts, [](const StepPart& part) {
    return std::all_of(part.ns.begin(), part.ns.end(), [](double ns) { return ns < 0.5; });
  });
  return parts;
}

}  // namespace

std::vector<SpanEvent> outer_spans(const std::vector<SpanEvent>& spans) {
  std::vector<SpanEvent> sorted = spans;
  std::sort(sorted.begin(), sorted.end(), [](const SpanEvent& a, const SpanEvent& b) {
    return std::tuple{a.slot, a.number, a.begin, -a.end} < std::tuple{b.slot, b.number, b.begin, -b.end};
  });
  std::vector<SpanEvent> outer;
  for (const SpanEvent& span : sorted) {
    const bool inside = !outer.empty() && outer.back().slot == span.slot && outer.back().number == span.number &&
                        span.begin < outer.back().end;
    if (!inside) {
      outer.push_back(span);
    }
  }
  return outer;
}

StepBreakdown step_breakdown(const Timeline& timeline, std::size_t most) {
  StepGroups groups = group_steps(timeline, most);
  if (groups.bins.size() == 0) {
    return {};
  }
  for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
    const StageTimeline& stage = timeline.stages[i];
    const bool on_device = !stage.device_firings.empty();
    std::vector<StepPart> parts = on_device ? parts_of(stage.device_firings, stage.device_spans, stage, groups)
                                            : parts_of(stage.firings, stage.spans, stage, groups);
    for (StepPart& part : parts) {
      part.stage = i;
      part.on_device = on_device;
      groups.breakdown.parts.push_back(std::move(part));
    }
  }
  return std::move(groups.breakdown);
}

}  // namespace dflash
