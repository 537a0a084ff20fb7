// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace dflash {

/// Counts the times that LibTorch makes the host wait for a CUDA device, through LibTorch's own debug mode for that,
/// which is the process's.

/// From here on, those of the calling thread; null: no longer.
void count_host_waits(std::atomic<std::int64_t>* count);

/// Once no thread counts any more: switches the debug mode off.
void end_host_wait_counts();

}  // namespace dflash
