// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/runtime/slot_account.h"
#include "framework/telemetry/fill_meter.h"
#include "framework/telemetry/recent.h"
#include "framework/telemetry/run_record.h"
#include "framework/telemetry/steady_clock.h"

namespace dflash {

/// What a firing with an input and an output does for being measured, without the firing: its looks at the clock, its
/// accounts, its entries among the newest events.
class FiringStamps {
 public:
  FiringStamps();

  void fire(std::int64_t number);
  /// What that has left: one stage and the edge before it.
  [[nodiscard]] RunRecord record() const;

 private:
  SlotAccount account_;
  FillMeter fill_;
  Histogram residence_;
  Recent<ItemEvent> items_;
  std::int64_t last_ = steady_now_ns();
};

/// What the stamps of one firing cost, in nanoseconds on this machine and now. Takes a few milliseconds.
[[nodiscard]] std::int64_t stamp_cost_ns();

}  // namespace dflash
