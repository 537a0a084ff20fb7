// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/firing.h"

namespace dflash {

/// Host time of the parts of a step: each is a span of the firing, for the report, and a figure of the step, for its
/// metrics.
class PhaseClock {
 public:
  /// Runs `body` as the phase `name`; phases of one name add up.
  template <class Body>
  decltype(auto) phase(Firing& firing, const char* name, Body&& body) {
    const Span span{firing, name};
    const Stopwatch watch{seconds_of(name)};
    return body();
  }
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& seconds() const { return seconds_; }
  void clear() { seconds_.clear(); }

 private:
  class Stopwatch {
   public:
    explicit Stopwatch(double& seconds) : seconds_{seconds} {}
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;
    ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

   private:
    double& seconds_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  double& seconds_of(const char* name) {
    for (auto& [known, seconds] : seconds_) {
      if (known == name) {
        return seconds;
      }
    }
    return seconds_.emplace_back(name, 0.0).second;
  }

  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace dflash
