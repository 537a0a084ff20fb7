// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/planted_faults.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "framework/core/counter_random.h"

namespace dflash {
namespace {

/// A run that fails elsewhere waits this long for a sleeping stage at most.
constexpr std::chrono::milliseconds kNap{20};

}  // namespace

std::chrono::nanoseconds PlantedFaults::swung(double ms, std::int64_t firing) const {
  const double swing = 2.0 * counter_uniform(inject_.seed, {static_cast<std::uint64_t>(firing)}) - 1.0;
  return std::chrono::nanoseconds{static_cast<std::int64_t>(ms * (1.0 + inject_.jitter * swing) * 1e6)};
}

void PlantedFaults::before(std::int64_t firing, std::int64_t attempt) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point until = Clock::now() + delay(firing);
  for (Clock::time_point now = Clock::now(); now < until && run_->phase() != RunState::Phase::kAborted;
       now = Clock::now()) {
    std::this_thread::sleep_until(std::min(until, now + kNap));
  }
  if (firing == inject_.throw_at && attempt == 0) {
    throw std::runtime_error("planted by inject.throw_at");
  }
}

void PlantedFaults::after(std::int64_t firing, std::vector<StagedItem>& staged) const {
  if (firing != inject_.nan_at) {
    return;
  }
  for (StagedItem& staged_item : staged) {
    Item& item = staged_item.item;
    item.payload = item.type->poisoned(item.payload.get());
  }
}

}  // namespace dflash
