// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace dflash {

/// How far a stage may run ahead of its own firings that are not done. The runtime keeps to these bounds, and so does
/// the replay of a run.

/// Firings of one slot that may be queued on its device and not done: one at work and one behind it, so that the device
/// goes on at once and little is held.
inline constexpr std::int64_t kQueuedASlot = 2;

/// Of a stage with several slots, for each of them: firings whose inputs are taken and whose outputs are not sent,
/// since one before them still runs. More would even out longer firings, and hold more items.
inline constexpr std::size_t kTicketsASlot = 4;

}  // namespace dflash
