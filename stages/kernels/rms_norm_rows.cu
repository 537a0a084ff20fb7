// SPDX-License-Identifier: Apache-2.0
// RMS norm of rows, forward. A group of lanes (a warp, or half of one for short rows) takes one row:
//
//   row  | pack | pack | pack | ...     a lane reads every kLanes-th pack of kPack numbers,
//          lane0  lane1  lane2          sums the squares, the group adds up its lanes,
//                                       and a second pass (from the cache) scales and writes.
#include <cuda_bf16.h>
#include <nvtx3/nvtx3.hpp>

#include "framework/device/cuda_check.h"
#include "stages/kernels/rms_norm_rows.h"

namespace dflash {
namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 256;
constexpr int kPackBytes = 16;  // the widest load of a lane
constexpr int kLoadsInFlight = 4;

__device__ float widen(float value) { return value; }
__device__ float widen(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename T>
__device__ T narrow(float value) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return value;
  } else {
    return __float2bfloat16(value);
  }
}

template <typename T, int kPack>
struct alignas(sizeof(T) * kPack) Pack {
  T values[kPack];
};

template <int kLanes>
__device__ float sum_over_lanes(float value) {
  const unsigned first_lane = threadIdx.x % kWarp / kLanes * kLanes;
  const unsigned group = (kLanes == kWarp ? ~0u : (1u << (kLanes % kWarp)) - 1u) << first_lane;
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(group, value, distance, kLanes);
  }
  return value;
}

template <typename T, int kPack, int kLanes>
__global__ void normalise_rows(RmsNormRows rows) {
  using Packed = Pack<T, kPack>;
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / kLanes;
  if (row >= rows.num_rows) {
    return;
  }
  const int lane = threadIdx.x % kLanes;
  const std::int64_t num_packs = rows.width / kPack;
  const Packed* __restrict__ x = static_cast<const Packed*>(rows.x) + row * num_packs;
  const Packed* __restrict__ weight = static_cast<const Packed*>(rows.weight);
  Packed* __restrict__ y = static_cast<Packed*>(rows.y) + row * num_packs;

  float sum_of_squares = 0;
#pragma unroll kLoadsInFlight
  for (std::int64_t i = lane; i < num_packs; i += kLanes) {
    const Packed pack = x[i];
    for (int j = 0; j < kPack; ++j) {
      const float value = widen(pack.values[j]);
      sum_of_squares += value * value;
    }
  }
  const float mean = sum_over_lanes<kLanes>(sum_of_squares) / static_cast<float>(rows.width);
  const float scale = 1.0F / sqrtf(mean + rows.eps);
#pragma unroll kLoadsInFlight
  for (std::int64_t i = lane; i < num_packs; i += kLanes) {
    Packed pack = x[i];
    const Packed factors = weight[i];
    for (int j = 0; j < kPack; ++j) {
      const T scaled = narrow<T>(widen(pack.values[j]) * scale);
      pack.values[j] = narrow<T>(widen(scaled) * widen(factors.values[j]));
    }
    y[i] = pack;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

template <typename T, int kPack, int kLanes>
void launch(const RmsNormRows& rows, cudaStream_t stream) {
  constexpr std::int64_t kRowsPerThreadBlock = kThreads / kLanes;
  const std::int64_t thread_blocks = (rows.num_rows + kRowsPerThreadBlock - 1) / kRowsPerThreadBlock;
  normalise_rows<T, kPack, kLanes><<<static_cast<unsigned>(thread_blocks), kThreads, 0, stream>>>(rows);
  DFLASH_CUDA_CHECK(cudaGetLastError());
}

bool aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % kPackBytes == 0; }

template <typename T>
void launch_best(const RmsNormRows& rows, cudaStream_t stream) {
  constexpr int kPack = kPackBytes / sizeof(T);
  const bool whole_packs = rows.width % kPack == 0 && aligned(rows.x) && aligned(rows.weight) && aligned(rows.y);
  if (!whole_packs) {
    launch<T, 1, kWarp>(rows, stream);
  } else if (rows.width / kPack <= kWarp / 2) {
    launch<T, kPack, kWarp / 2>(rows, stream);
  } else {
    launch<T, kPack, kWarp>(rows, stream);
  }
}

}  // namespace

void rms_norm_rows_cuda(const RmsNormRows& rows, cudaStream_t stream) {
  const nvtx3::scoped_range range{"rms_norm_rows"};
  if (rows.num_rows == 0 || rows.width == 0) {
    return;
  }
  switch (rows.format) {
    case RowFormat::kFloat32:
      return launch_best<float>(rows, stream);
    case RowFormat::kBFloat16:
      return launch_best<__nv_bfloat16>(rows, stream);
  }
}

}  // namespace dflash
