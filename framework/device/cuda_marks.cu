// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cuda_check.h"
#include "framework/device/cuda_marks.h"

namespace dflash {
namespace {

__global__ void write_mark(volatile std::uint64_t* mark, std::uint64_t value) { *mark = value; }

__global__ void sleep_for(std::uint64_t nanoseconds) {
  std::uint64_t begin = 0;
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

}  // namespace

void queue_mark(std::uint64_t* mark, std::uint64_t value, cudaStream_t stream) {
  write_mark<<<1, 1, 0, stream>>>(mark, value);
  DFLASH_CUDA_CHECK(cudaGetLastError());
}

void queue_sleep(std::int64_t nanoseconds, cudaStream_t stream) {
  sleep_for<<<1, 1, 0, stream>>>(static_cast<std::uint64_t>(nanoseconds));
  DFLASH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace dflash
