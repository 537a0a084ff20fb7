// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "framework/core/inject.h"
#include "framework/runtime/origin.h"
#include "framework/runtime/run_state.h"

namespace dflash {

/// Carries out what `inject` plants into one stage. Used by the stage's runner only.
class PlantedFaults {
 public:
  PlantedFaults(const Inject& inject, const RunState& run) : inject_{inject}, run_{&run} {}

  /// Within a firing, before the body: sleeps, no longer than the run goes on, and throws where that is planted. A
  /// firing that is tried again (`attempt` above 0) does not fail again.
  void before(std::int64_t firing, std::int64_t attempt) const;
  /// Within a firing, after the body: poisons what it emitted where that is planted.
  void after(std::int64_t firing, std::vector<StagedItem>& staged) const;
  /// How long the firing sleeps.
  [[nodiscard]] std::chrono::nanoseconds delay(std::int64_t firing) const { return swung(inject_.sleep_ms, firing); }
  /// How much longer its work on the device takes.
  [[nodiscard]] std::chrono::nanoseconds device_delay(std::int64_t firing) const {
    return swung(inject_.gpu_sleep_ms, firing);
  }

 private:
  [[nodiscard]] std::chrono::nanoseconds swung(double ms, std::int64_t firing) const;

  Inject inject_;
  const RunState* run_;
};

}  // namespace dflash
