// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/stamp_cost.h"

#include <algorithm>
#include <limits>

#include "framework/runtime/slot_account.h"
#include "framework/telemetry/fill_meter.h"
#include "framework/telemetry/recent.h"
#include "framework/telemetry/steady_clock.h"

namespace dflash {
namespace {

constexpr int kTries = 5;
constexpr std::int64_t kFirings = 4000;

/// All that a firing records: at its begin, its end, and on the edge behind it.
class Stamps {
 public:
  Stamps() {
    account_.start(steady_now_ns(), 1, 1);
    fill_.start(steady_now_ns());
  }

  void fire(std::int64_t number) {
    const std::int64_t begin = steady_now_ns();
    account_.begin_busy(begin, {.kind = Enabler::Kind::kInput, .at = begin});
    fill_.advance(begin, 1, false);
    residence_.record(begin - last_);
    items_.add({.seq = number, .from_firing = number, .to_firing = number, .pushed = last_, .popped = begin});
    last_ = steady_now_ns();
    account_.end_busy(last_, number);
    fill_.advance(last_, 2, false);
    flushed_at_ = steady_now_ns();  // as the outbox looks at the clock once more
  }

 private:
  SlotAccount account_;
  FillMeter fill_;
  Histogram residence_;
  Recent<ItemEvent> items_;
  std::int64_t last_ = steady_now_ns();
  std::int64_t flushed_at_ = 0;
};

}  // namespace

std::int64_t stamp_cost_ns() {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    Stamps stamps;
    const std::int64_t begin = steady_now_ns();
    for (std::int64_t number = 1; number <= kFirings; ++number) {
      stamps.fire(number);
    }
    least = std::min(least, (steady_now_ns() - begin) / kFirings);
  }
  return least;
}

}  // namespace dflash
