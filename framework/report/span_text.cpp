// SPDX-License-Identifier: Apache-2.0
#include "framework/report/span_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "framework/report/number_text.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr auto kLeft = TextTable::kLeft;
constexpr std::size_t kNameColumns = 22;

/// With what it took on a device where `on_device`.
std::vector<std::string> span_row(const StageRecord& stage, const SpanRecord& span, bool on_device) {
  const double count = static_cast<double>(std::max<std::int64_t>(span.count, 1));
  const auto host = static_cast<double>(span.ns);
  const auto device = static_cast<double>(span.device_ns);
  std::vector<std::string> row{shortened(stage.name, kNameColumns),
                               shortened(span.name, kNameColumns),
                               fmt::format("{}", span.count),
                               duration_text(host),
                               duration_text(host / count),
                               percent_text(stage.busy_ns > 0 ? host / static_cast<double>(stage.busy_ns) : 0.0)};
  if (on_device) {
    row.push_back(span.device_ns > 0 ? duration_text(device) : "");
    row.push_back(span.device_ns > 0 ? duration_text(device / count) : "");
  }
  return row;
}

}  // namespace

std::string spans_part(const RunRecord& record) {
  const bool on_device = std::ranges::any_of(record.stages, [](const StageRecord& stage) {
    return std::ranges::any_of(stage.spans, [](const SpanRecord& span) { return span.device_ns > 0; });
  });
  std::vector<TextTable::Column> columns{{"stage", kLeft}, {"span", kLeft}, {"count"},
                                         {"total"},        {"mean"},        {"of busy"}};
  if (on_device) {
    columns.insert(columns.end(), {{"on the device"}, {"mean"}});
  }
  TextTable table{std::move(columns)};
  for (const StageRecord& stage : record.stages) {
    for (const SpanRecord& span : stage.spans) {
      table.row(span_row(stage, span, on_device));
    }
    if (stage.drain_ns > 0) {
      table.row(span_row(stage, {.name = "(drain)", .count = 1, .ns = stage.drain_ns}, on_device));
    }
  }
  const std::string text = table.text(2);
  return text.empty() ? "" : "\nSPANS   parts of a firing; one inside another counts in both\n" + text;
}

}  // namespace dflash
