// SPDX-License-Identifier: Apache-2.0
#include "framework/report/report_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "framework/report/device_text.h"
#include "framework/report/number_text.h"
#include "framework/report/path_text.h"
#include "framework/report/span_text.h"
#include "framework/report/summary_text.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr std::size_t kStageNameColumns = 22;
constexpr std::size_t kEdgeNameColumns = 42;
constexpr std::size_t kBarColumns = 32;
constexpr auto kLeft = TextTable::kLeft;

double share(std::int64_t part, double whole) { return whole <= 0.0 ? 0.0 : static_cast<double>(part) / whole; }

std::string heading(const std::string& title, const std::string& note = "") {
  return "\n" + title + (note.empty() ? "" : "   " + note) + "\n";
}

std::string head_part(const RunReport& report) {
  const RunRecord& record = report.record;
  const std::string title = fmt::format("dflash-graph report: {}", report.graph_name);
  const std::string outcome = fmt::format("outcome {}: {}", record.outcome.code, record.outcome.text);
  std::string text = title.size() + 3 + outcome.size() <= kReportColumns
                         ? fmt::format("{}   {}\n", title, outcome)
                         : title + "\n" + wrapped("  ", outcome, kReportColumns);
  text.append(kReportColumns, '-').append("\n");
  text += wrapped("VERDICT  ", report.verdict.text, kReportColumns);
  text += fmt::format("\nwall {} (first firing to last)   total {} (with loading and evaluation)",
                      duration_text(static_cast<double>(record.wall_ns)), duration_text(report.total_s * 1e9));
  if (record.steps > 0 && record.wall_ns > 0) {
    const double rate = static_cast<double>(record.steps) / static_cast<double>(record.wall_ns) * 1e9;
    text += fmt::format("   {} ({} steps/s)", count_text(record.steps, "step"), rate_text(rate));
  }
  return text + "\n";
}

std::string planted_lines(const std::map<std::string, std::string>& planted) {
  std::string text;
  for (const auto& [stage, what] : planted) {
    text += wrapped(fmt::format("  planted into '{}': ", stage), what, kReportColumns);
  }
  return text;
}

std::string stages_part(const RunReport& report) {
  const RunRecord& record = report.record;
  TextTable table{{{"stage", kLeft},
                   {"type", kLeft},
                   {"firings"},
                   {"per s"},
                   {"p50"},
                   {"p90"},
                   {"p99"},
                   {"max"},
                   {"busy"},
                   {"wait"},
                   {"state of its time", kLeft}}};
  const auto wall = static_cast<double>(record.wall_ns);
  for (const StageRecord& stage : record.stages) {
    const double busy = stage.utilisation(record.wall_ns);  // as the verdict has it
    const double waits = stage.ended_ns < stage.slots * record.wall_ns ? 1.0 - busy : 0.0;
    const std::string slots = stage.slots > 1 ? fmt::format(" x{}", stage.slots) : "";
    table.row({shortened(stage.name, kStageNameColumns - slots.size()) + slots,
               shortened(stage.type, kStageNameColumns), fmt::format("{}", stage.firings),
               rate_text(share(stage.firings, wall) * 1e9),
               duration_text(static_cast<double>(stage.service.quantile(0.5))),
               duration_text(static_cast<double>(stage.service.quantile(0.9))),
               duration_text(static_cast<double>(stage.service.quantile(0.99))),
               duration_text(static_cast<double>(stage.service.max())), percent_text(busy), percent_text(waits),
               "|" + state_bar(stage, record.wall_ns, kBarColumns) + "|"});
  }
  return heading("STAGES",
                 "# busy  > blocked by a full edge  < starved of input  : ready, no worker  g device  "
                 "? unaccounted  blank: not begun or ended") +
         table.text(2) + planted_lines(report.planted);
}

/// Along the flow, a buffer's content after the edge that fills it.
std::vector<std::size_t> edges_in_order(const RunRecord& record) {
  std::vector<std::size_t> order(record.edges.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const EdgeRecord& left = record.edges[a];
    const EdgeRecord& right = record.edges[b];
    return std::pair{left.to_stage, left.is_buffer} < std::pair{right.to_stage, right.is_buffer};
  });
  return order;
}

std::string edges_part(const RunRecord& record) {
  TextTable table{{{"edge", kLeft},
                   {"items"},
                   {"bytes"},
                   {"fill: mean"},
                   {"max"},
                   {"of"},
                   {"full"},
                   {"empty"},
                   {"residence: p50"},
                   {"p99"},
                   {"left", kLeft}}};
  const auto wall = static_cast<double>(record.wall_ns);
  for (const std::size_t index : edges_in_order(record)) {
    const EdgeRecord& edge = record.edges[index];
    std::string left;
    const auto add = [&left](std::int64_t count, const char* what) {
      left += count == 0 ? "" : fmt::format("{}{} {}", left.empty() ? "" : ", ", count, what);
    };
    add(edge.drops, "dropped");
    add(edge.abandoned, "abandoned");
    add(edge.oversize, "oversize");
    const std::string name = edge.is_buffer ? "[" + edge.name + "]" : edge.name;
    table.row({shortened(name, kEdgeNameColumns), fmt::format("{}", edge.items), bytes_text(edge.bytes),
               fmt::format("{:.1f}", edge.mean_fill), fmt::format("{}", edge.max_fill),
               fmt::format("{}", edge.capacity_items), percent_text(share(edge.full_ns, wall)),
               percent_text(share(edge.empty_ns, wall)),
               duration_text(static_cast<double>(edge.residence.quantile(0.5))),
               duration_text(static_cast<double>(edge.residence.quantile(0.99))), left});
  }
  const std::string text = table.text(2);
  return text.empty() ? "" : heading("EDGES", "[name]: what a buffer stage holds") + text;
}

std::string lanes_part(const RunRecord& record) {
  TextTable table{{{"lane", kLeft}, {"workers"}, {"busy"}, {"waited for"}, {"stages", kLeft}}};
  for (const LaneRecord& lane : record.lanes) {
    std::int64_t busy = 0;
    std::int64_t dispatch = 0;
    std::string names;
    for (const StageRecord& stage : record.stages) {
      if (stage.lane == lane.name) {
        busy += stage.busy_ns;
        dispatch += stage.dispatch_ns;
        names += (names.empty() ? "" : " ") + stage.name;
      }
    }
    const double time = static_cast<double>(record.wall_ns) * static_cast<double>(lane.workers);
    table.row({shortened(lane.name, kStageNameColumns), fmt::format("{}", lane.workers),
               percent_text(share(busy, time)), duration_text(static_cast<double>(dispatch)), shortened(names, 80)});
  }
  const std::string text = table.text(2);
  return text.empty() ? "" : heading("LANES") + text;
}

std::string counters_part(const RunRecord& record) {
  TextTable table{{{"stage", kLeft}, {"counter", kLeft}, {"count"}}};
  for (const StageRecord& stage : record.stages) {
    for (const auto& [name, count] : stage.counters) {
      table.row(
          {shortened(stage.name, kStageNameColumns), shortened(name, kEdgeNameColumns), fmt::format("{}", count)});
    }
  }
  const std::string text = table.text(2);
  return text.empty() ? "" : heading("COUNTERS") + text;
}

std::string values_part(const std::string& title, const Json& values) {
  const std::string text = summary_text(values, 2, kReportColumns);
  return text.empty() ? "" : heading(title) + text;
}

std::string summaries_part(const Json& summaries) {
  std::string text;
  for (const auto& [section, values] : summaries.items()) {
    std::string title = section;
    std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
    text += values_part(title, values);
  }
  return text;
}

/// What the stamps of all firings cost, as far as that can be told afterwards.
std::string stamps_text(const RunRecord& record) {
  if (record.stamp_cost_ns <= 0 || record.wall_ns <= 0) {
    return "";
  }
  return fmt::format(
      "  the stamps of {} firings, {} ns each as measured at the end of the run, come to {:.2g} % of the wall\n",
      record.firings(), record.stamp_cost_ns,
      100.0 * share(record.firings() * record.stamp_cost_ns, static_cast<double>(record.wall_ns)));
}

std::string checks_part(const std::vector<SelfCheck>& checks, const RunRecord& record) {
  const auto failed = std::count_if(checks.begin(), checks.end(), [](const SelfCheck& check) { return !check.ok; });
  const auto count = static_cast<std::int64_t>(checks.size());
  std::string text = heading("SELF-CHECKS", count == 0    ? "none"
                                            : failed == 0 ? fmt::format("all {} passed", count)
                                                          : fmt::format("{} of {} failed", failed, count));
  TextTable table{{{"failed", kLeft}, {"off by"}, {"limit"}}};
  for (const SelfCheck& check : checks) {
    if (!check.ok) {
      table.row({shortened(check.name, 80), fmt::format("{:.3g}", check.value), fmt::format("{:.3g}", check.limit)});
    }
  }
  return text + table.text(2) + stamps_text(record);
}

std::string gains_part(const std::vector<StageGain>& gains) {
  TextTable table{{{"stage", kLeft}, {"were"}, {"the run"}}};
  for (const StageGain& gain : gains) {
    table.row({shortened(gain.stage, kStageNameColumns), fmt::format("{:.3g} times as fast", gain.speedup),
               fmt::format("{:.2f} times as fast", gain.gain)});
  }
  return gains.empty() ? "" : heading("WHAT IF", "by replay of what was recorded") + table.text(2);
}

std::string errors_part(const std::vector<std::string>& errors) {
  std::string text = errors.empty() ? "" : heading("ERRORS", "the first is the cause");
  for (std::size_t i = 0; i < errors.size(); ++i) {
    text += wrapped(fmt::format("  {}. ", i + 1), errors[i], kReportColumns);
  }
  return text;
}

}  // namespace

std::string state_bar(const StageRecord& stage, std::int64_t wall_ns, std::size_t width) {
  const std::array<std::pair<char, std::int64_t>, 7> states{{{'#', stage.busy_ns},
                                                             {'g', stage.gpu_wait_ns},
                                                             {'>', stage.blocked_out_ns},
                                                             {'<', stage.starved_in_ns},
                                                             {':', stage.dispatch_ns},
                                                             {'?', stage.unaccounted_ns},
                                                             {' ', stage.ended_ns}}};
  const double whole = static_cast<double>(wall_ns) * static_cast<double>(stage.slots);
  std::string bar;
  std::int64_t sum = 0;
  for (const auto& [letter, ns] : states) {
    sum += std::max<std::int64_t>(ns, 0);
    const auto end = static_cast<std::size_t>(std::llround(share(sum, whole) * static_cast<double>(width)));
    bar.resize(std::max(bar.size(), std::min(end, width)), letter);
  }
  bar.resize(width, ' ');
  return bar;
}

std::string report_text(const RunReport& report) {
  return head_part(report) + stages_part(report) + spans_part(report.record) + edges_part(report.record) +
         gains_part(report.gains) + paths_part(report.paths) + lanes_part(report.record) + devices_part(report.record) +
         counters_part(report.record) + summaries_part(report.summaries) + checks_part(report.checks, report.record) +
         errors_part(report.record.errors) + values_part("PROVENANCE", report.provenance);
}

}  // namespace dflash
