// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"

namespace dflash {

/// How much of a run whose end is known by its data is done.
struct WorkDone {
  std::string unit;        // "rows"
  std::int64_t total = 0;  // 0: not known
  std::int64_t first = 0;  // done before this session: a resumed run
  std::int64_t done = 0;   // in all
};

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
  /// A source that knows how much it will give says so; a sink that works it off says what was done before
  /// (`begin_work`) and since (`set_done`). Progress shows it where both do.
  void expect_work(std::int64_t total) {
    const std::lock_guard lock{mutex_};
    work_.total = total;
  }
  void begin_work(std::string unit, std::int64_t first) {
    const std::lock_guard lock{mutex_};
    work_.unit = std::move(unit);
    work_.first = work_.done = first;
  }
  void set_done(std::int64_t done) {
    const std::lock_guard lock{mutex_};
    work_.done = done;
  }
  [[nodiscard]] WorkDone work() const {
    const std::lock_guard lock{mutex_};
    return work_;
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
  WorkDone work_;
};

}  // namespace dflash
