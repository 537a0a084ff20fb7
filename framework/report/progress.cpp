// SPDX-License-Identifier: Apache-2.0
#include "framework/report/progress.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "framework/report/number_text.h"

namespace dflash {
namespace {

constexpr double kSecondsBetweenLines = 10.0;
constexpr std::int64_t kTenths = 10;

std::int64_t tenth(std::int64_t done, std::int64_t total) { return done * kTenths / total; }

}  // namespace

WorkDone extent_of(const ProgressSample& sample) {
  if (sample.total_steps <= 0 && !sample.work.unit.empty()) {
    return sample.work;
  }
  return {.unit = "step", .total = sample.total_steps, .first = sample.first_step, .done = sample.steps};
}

std::optional<double> seconds_left(const ProgressSample& sample) {
  const WorkDone extent = extent_of(sample);
  const std::int64_t done = extent.done - extent.first;
  if (extent.total <= 0 || done <= 0 || extent.done >= extent.total) {
    return std::nullopt;
  }
  return sample.elapsed_s / static_cast<double>(done) * static_cast<double>(extent.total - extent.done);
}

std::string progress_text(const ProgressSample& sample) {
  const WorkDone extent = extent_of(sample);
  std::string text = fmt::format("{} {}", extent.unit, extent.done);
  if (extent.total > 0) {
    const double share = static_cast<double>(extent.done) / static_cast<double>(extent.total);
    text += fmt::format("/{} ({})", extent.total, percent_text(share));
  }
  if (const auto rate = sample.metrics.find("tokens_per_s"); rate != sample.metrics.end()) {
    text += fmt::format("  {} tok/s", rate_text(rate->second));
  }
  if (const auto loss = sample.metrics.find("loss"); loss != sample.metrics.end()) {
    text += fmt::format("  loss {:.4f}", loss->second);
  }
  if (const std::optional<double> left = seconds_left(sample)) {
    text += fmt::format("  left {}", duration_text(*left * 1e9));
  }
  if (!sample.busiest_stage.empty()) {
    text += fmt::format("  lately busiest: {} {}", sample.busiest_stage, percent_text(sample.busiest_share));
  }
  return text;
}

Progress::Progress(ProgressStyle style, Write write, std::size_t columns)
    : style_{style}, write_{std::move(write)}, columns_{columns} {}

void Progress::update(const ProgressSample& sample) {
  if (style_ == ProgressStyle::kRewrite) {
    rewrite(progress_text(sample));
  } else if (style_ == ProgressStyle::kLines && line_is_due(sample)) {
    write_(progress_text(sample) + "\n");
    last_line_s_ = sample.elapsed_s;
    last_line_done_ = extent_of(sample).done;
  }
}

void Progress::busy(const std::string& activity, double elapsed_s) {
  if (style_ == ProgressStyle::kRewrite) {
    rewrite(activity);
  } else if (style_ == ProgressStyle::kLines && elapsed_s - last_busy_s_ >= kSecondsBetweenLines) {
    write_(activity + "\n");
    last_busy_s_ = elapsed_s;
  }
}

void Progress::idle() {
  if (shown_ > 0) {
    write_(fmt::format("\r{:<{}}\r", "", shown_));
    shown_ = 0;
  }
  last_busy_s_ = 0.0;
}

void Progress::say(const std::string& line) {
  if (style_ == ProgressStyle::kNone) {
    return;
  }
  write_(shown_ > 0 ? fmt::format("\r{:<{}}\n", line, shown_) : line + "\n");
  shown_ = 0;
}

void Progress::finish(const ProgressSample& sample) {
  if (style_ == ProgressStyle::kRewrite) {
    rewrite(progress_text(sample));
    write_("\n");
    shown_ = 0;
  } else if (style_ == ProgressStyle::kLines && extent_of(sample).done != last_line_done_) {
    write_(progress_text(sample) + "\n");
    last_line_done_ = extent_of(sample).done;
  }
}

void Progress::rewrite(const std::string& line) {
  const std::string text = line.substr(0, columns_ > 1 ? columns_ - 1 : 1);
  write_(fmt::format("\r{:<{}}", text, std::max(shown_, text.size())));
  shown_ = text.size();
}

bool Progress::line_is_due(const ProgressSample& sample) const {
  if (sample.elapsed_s - last_line_s_ >= kSecondsBetweenLines) {
    return true;
  }
  const WorkDone extent = extent_of(sample);
  return extent.total > 0 &&
         tenth(extent.done, extent.total) > tenth(std::max(last_line_done_, extent.first), extent.total);
}

}  // namespace dflash
