// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

namespace dflash {

/// Queues the writing of `value` to memory that the host can read, also after the device has faulted.
void queue_mark(std::uint64_t* mark, std::uint64_t value, cudaStream_t stream);

/// Queues a kernel of one thread that ends after `nanoseconds`.
void queue_sleep(std::int64_t nanoseconds, cudaStream_t stream);

}  // namespace dflash
