// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/core/param.h"

namespace dflash {

/// What becomes of a firing that throws (`on_error` in the graph file). Only stages that keep nothing between firings
/// may go on after one. What is skipped leaves a tombstone on every output, so that pairs further down stay pairs.
struct ErrorPolicy {
  std::int64_t retry = 0;  // times that the firing is tried again, with the same inputs
  bool skip = false;       // then: go on without it, and count it; else it ends the run
};

/// The keys of `on_error`.
struct ErrorPolicyParams final : ParamSet {
  Param<std::int64_t> retry{
      *this,
      "retry",
      {.value = 0, .min = 0, .max = 1000, .unit = "times", .help = "a firing that fails is tried again"}};
  Choice<bool> then{
      *this, "then", false, {{"stop", false}, {"skip", true}}, "what becomes of a firing that failed every time"};

  [[nodiscard]] ErrorPolicy policy() const { return {.retry = retry(), .skip = then()}; }
};

}  // namespace dflash
