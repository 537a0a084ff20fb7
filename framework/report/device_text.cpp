// SPDX-License-Identifier: Apache-2.0
#include "framework/report/device_text.h"

#include <fmt/format.h>

#include "framework/report/number_text.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr auto kLeft = TextTable::kLeft;
constexpr std::size_t kNameColumns = 22;

double ratio(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// A count, and how often that is a step where there are steps.
std::string per_step(std::int64_t count, std::int64_t steps) {
  return steps > 0 && count > 0 ? fmt::format("{} ({}/step)", count, rate_text(ratio(count, steps)))
                                : fmt::format("{}", count);
}

std::string devices_table(const RunRecord& record) {
  TextTable table{{{"device", kLeft},
                   {"busy"},
                   {"overlap"},
                   {"memory high"},
                   {"allocations"},
                   {"frees"},
                   {"maps"},
                   {"unmaps"},
                   {"host waits"}}};
  for (const DeviceRecord& device : record.devices) {
    table.row({device.name, percent_text(ratio(device.busy_ns, record.wall_ns)),
               fmt::format("{:.2f}", ratio(device.span_ns, device.busy_ns)), bytes_text(device.memory_high_bytes),
               per_step(device.allocations, record.steps), per_step(device.frees, record.steps),
               per_step(device.maps, record.steps), per_step(device.unmaps, record.steps),
               per_step(device.host_waits, record.steps)});
  }
  return table.text(2);
}

std::string stages_table(const RunRecord& record) {
  TextTable table{
      {{"stage", kLeft}, {"launch: mean"}, {"queued: mean"}, {"span: mean"}, {"p50"}, {"p99"}, {"of wall"}}};
  for (const StageRecord& stage : record.stages) {
    if (stage.device_firings == 0) {
      continue;
    }
    const auto firings = static_cast<double>(stage.device_firings);
    table.row({shortened(stage.name, kNameColumns), duration_text(stage.service.mean()),
               duration_text(static_cast<double>(stage.gpu_queue_ns) / firings), duration_text(stage.gpu_span.mean()),
               duration_text(static_cast<double>(stage.gpu_span.quantile(0.5))),
               duration_text(static_cast<double>(stage.gpu_span.quantile(0.99))),
               percent_text(ratio(stage.gpu_span.sum(), record.wall_ns))});
  }
  return table.text(2);
}

}  // namespace

std::string devices_part(const RunRecord& record) {
  if (record.devices.empty()) {
    return "";
  }
  return "\nDEVICES   busy: work of at least one firing under way   overlap: sum of the firings' spans over that\n" +
         devices_table(record) +
         "\nDEVICE TIME   launch: the host's time in the body   queued: from the begin of the body to that of its work"
         "   span: from there to its end\n" +
         stages_table(record);
}

}  // namespace dflash
