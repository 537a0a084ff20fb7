// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/core/param.h"

namespace dflash {

/// Delays and faults planted into a stage (`inject` in the graph file). A user asks with it what happens if the stage
/// is slower, or fails; tests ask whether report, drain and resume keep their word. Firings are counted from 1 and on
/// through a resume.
struct Inject {
  double sleep_ms = 0.0;      // each firing takes this much longer, as if the body were slower
  double gpu_sleep_ms = 0.0;  // each firing's work on its device takes this much longer
  double jitter = 0.0;        // share by which the sleeps vary to either side, by seed and firing
  std::uint64_t seed = 0;     // of jitter
  std::int64_t throw_at = 0;  // this firing fails before it does anything; 0: none
  std::int64_t nan_at = 0;    // what this firing emits is poisoned; 0: none
};

/// The keys of `inject`.
struct InjectParams final : ParamSet {
  static constexpr double kLongestMs = 86'400'000.0;  // a day
  Param<double> sleep_ms{
      *this,
      "sleep_ms",
      {.value = 0.0, .min = 0.0, .max = kLongestMs, .unit = "ms", .help = "each firing takes this much longer"}};
  Param<double> gpu_sleep_ms{*this,
                             "gpu_sleep_ms",
                             {.value = 0.0,
                              .min = 0.0,
                              .max = kLongestMs,
                              .unit = "ms",
                              .help = "each firing's work on its device takes this much longer"}};
  Param<double> jitter{
      *this, "jitter", {.value = 0.0, .min = 0.0, .max = 1.0, .help = "share by which the sleeps vary to either side"}};
  Param<std::int64_t> seed{*this, "seed", {.value = 0, .min = 0, .help = "of jitter"}};
  Param<std::int64_t> throw_at{
      *this, "throw_at", {.value = 0, .min = 0, .help = "the firing, counted from 1, that fails; 0: none"}};
  Param<std::int64_t> nan_at{
      *this, "nan_at", {.value = 0, .min = 0, .help = "the firing, counted from 1, that emits NaN; 0: none"}};

  [[nodiscard]] Inject inject() const {
    return {.sleep_ms = sleep_ms(),
            .gpu_sleep_ms = gpu_sleep_ms(),
            .jitter = jitter(),
            .seed = static_cast<std::uint64_t>(seed()),
            .throw_at = throw_at(),
            .nan_at = nan_at()};
  }
};

}  // namespace dflash
