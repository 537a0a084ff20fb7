// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"

namespace dflash {

/// What stages tell the run while it goes on, by name: the framework prints and keeps it without knowing what it means.
/// Safe from any thread.
class RunLog {
 public:
  /// The newest value of a named metric ("loss"), for the progress line and the live page.
  void set_metric(const std::string& name, double value) {
    const std::lock_guard lock{mutex_};
    metrics_[name] = value;
  }
  [[nodiscard]] std::map<std::string, double> metrics() const {
    const std::lock_guard lock{mutex_};
    return metrics_;
  }
  /// Sets keys of a named section of report.json ("training").
  void set_summary(const std::string& section, const Json& values) {
    const std::lock_guard lock{mutex_};
    summaries_[section].update(values);
  }
  [[nodiscard]] Json summaries() const {
    const std::lock_guard lock{mutex_};
    return summaries_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double> metrics_;
  Json summaries_ = Json::object();
};

}  // namespace dflash
