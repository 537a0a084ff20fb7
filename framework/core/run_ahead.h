// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace dflash {

/// How far a stage may run ahead of its own firings that are not done. The runtime keeps to these bounds, and so does
/// the replay of a run.

/// Firings of one slot that may be queued on its device and not done: one at work and one behind it, so that the device
/// goes on at once and little is held.
inline constexpr std::int64_t kQueuedASlot = 2;

/// Of a stage with several slots, for each of them: firings whose inputs are taken and whose outputs are not sent,
/// since one before them still runs. More would even out longer firings, and hold more items.
inline constexpr std::size_t kTicketsASlot = 4;

/// Which of a stage's slots fires next: of those that may fire, the first whose device has least queued; the end where
/// none may. `queued`: a member.
template <class Slots, class Queued>
auto next_slot(Slots& slots, Queued queued) {
  auto next = slots.end();
  for (auto slot = slots.begin(); slot != slots.end(); ++slot) {
    if (slot->may_fire() && (next == slots.end() || std::invoke(queued, *slot) < std::invoke(queued, *next))) {
      next = slot;
    }
  }
  return next;
}

}  // namespace dflash
