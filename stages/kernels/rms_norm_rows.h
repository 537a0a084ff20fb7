// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

struct CUstream_st;  // what cudaStream_t points to

namespace dflash {

/// Number formats that the kernels read and write.
enum class RowFormat { kFloat32, kBFloat16 };

/// y = cast(x / sqrt(mean(x^2) + eps)) * weight for each row, the statistics in fp32, cast to the rows' format before
/// the weight is applied (Qwen3). Rows lie one after another; `y` overlaps neither `x` nor `weight`.
struct RmsNormRows {
  const void* x;          // [num_rows, width]
  const void* weight;     // [width]
  void* y;                // [num_rows, width]
  std::int64_t num_rows;  // below 2^31
  std::int64_t width;
  float eps;
  RowFormat format;
};

/// Computes the rows on the CPU, one number after another: the reference that the kernel is compared with.
void rms_norm_rows_cpu(const RmsNormRows& rows);

/// Queues the kernel on `stream` of the current device. Throws DeviceError if it cannot be launched, and UserError in a
/// build without CUDA.
void rms_norm_rows_cuda(const RmsNormRows& rows, CUstream_st* stream);

}  // namespace dflash
