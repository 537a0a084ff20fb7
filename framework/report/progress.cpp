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

std::string left_text(const ProgressSample& sample) {
  const std::int64_t done = sample.steps - sample.first_step;
  if (sample.total_steps <= 0 || done <= 0 || sample.steps >= sample.total_steps) {
    return "";
  }
  const double per_step = sample.elapsed_s / static_cast<double>(done);
  return fmt::format("  left {}",
                     duration_text(per_step * static_cast<double>(sample.total_steps - sample.steps) * 1e9));
}

std::int64_t tenth(const ProgressSample& sample) { return sample.steps * kTenths / sample.total_steps; }

}  // namespace

std::string progress_text(const ProgressSample& sample) {
  std::string text = fmt::format("step {}", sample.steps);
  if (sample.total_steps > 0) {
    const double share = static_cast<double>(sample.steps) / static_cast<double>(sample.total_steps);
    text += fmt::format("/{} ({})", sample.total_steps, percent_text(share));
  }
  if (const auto rate = sample.metrics.find("tokens_per_s"); rate != sample.metrics.end()) {
    text += fmt::format("  {} tok/s", rate_text(rate->second));
  }
  if (const auto loss = sample.metrics.find("loss"); loss != sample.metrics.end()) {
    text += fmt::format("  loss {:.4f}", loss->second);
  }
  text += left_text(sample);
  if (!sample.busiest_stage.empty()) {
    text += fmt::format("  busiest {} {}", sample.busiest_stage, percent_text(sample.busiest_share));
  }
  return text;
}

Progress::Progress(ProgressStyle style, Write write, std::size_t columns)
    : style_{style}, write_{std::move(write)}, columns_{columns} {}

void Progress::update(const ProgressSample& sample) {
  if (style_ == ProgressStyle::kRewrite) {
    rewrite(sample);
  } else if (style_ == ProgressStyle::kLines && line_is_due(sample)) {
    write_(progress_text(sample) + "\n");
    last_line_s_ = sample.elapsed_s;
    last_line_step_ = sample.steps;
  }
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
    rewrite(sample);
    write_("\n");
    shown_ = 0;
  } else if (style_ == ProgressStyle::kLines && sample.steps != last_line_step_) {
    write_(progress_text(sample) + "\n");
    last_line_step_ = sample.steps;
  }
}

void Progress::rewrite(const ProgressSample& sample) {
  const std::string text = progress_text(sample).substr(0, columns_ > 1 ? columns_ - 1 : 1);
  write_(fmt::format("\r{:<{}}", text, std::max(shown_, text.size())));
  shown_ = text.size();
}

bool Progress::line_is_due(const ProgressSample& sample) const {
  if (sample.elapsed_s - last_line_s_ >= kSecondsBetweenLines) {
    return true;
  }
  if (sample.total_steps <= 0) {
    return false;
  }
  ProgressSample before = sample;
  before.steps = std::max(last_line_step_, sample.first_step);
  return tenth(sample) > tenth(before);
}

}  // namespace dflash
