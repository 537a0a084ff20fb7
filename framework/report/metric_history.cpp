// SPDX-License-Identifier: Apache-2.0
#include "framework/report/metric_history.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dflash {

void MetricHistory::add(std::int64_t step, const std::map<std::string, double>& metrics) {
  const std::lock_guard lock{mutex_};
  if (metrics.empty()) {
    return;
  }
  if (!samples_.empty() && step == samples_.back().step) {
    samples_.back().metrics = metrics;
    return;
  }
  if (!samples_.empty() && step < samples_.back().step + spacing_) {
    return;
  }
  samples_.push_back({.step = step, .metrics = metrics});
  if (samples_.size() == kMost) {
    thin_out();
  }
}

void MetricHistory::thin_out() {
  const std::int64_t steps = samples_.back().step - samples_.front().step;
  std::vector<Sample> kept;
  kept.reserve(kMost);
  for (std::size_t i = 0; i < samples_.size(); i += 2) {
    kept.push_back(std::move(samples_[i]));
  }
  samples_ = std::move(kept);
  spacing_ = std::max<std::int64_t>(steps / static_cast<std::int64_t>(samples_.size()), 1);
}

Json MetricHistory::json() const {
  const std::lock_guard lock{mutex_};
  Json steps = Json::array();
  Json metrics = Json::object();
  for (const Sample& sample : samples_) {
    steps.push_back(sample.step);
    for (const auto& [name, value] : sample.metrics) {
      metrics.emplace(name, Json::array());
    }
  }
  for (auto& [name, values] : metrics.items()) {
    for (const Sample& sample : samples_) {
      const auto found = sample.metrics.find(name);
      const bool is_there = found != sample.metrics.end() && std::isfinite(found->second);
      values.push_back(is_there ? Json(found->second) : Json(nullptr));
    }
  }
  return {{"schema", kHistorySchema}, {"step", std::move(steps)}, {"metrics", std::move(metrics)}};
}

}  // namespace dflash
