// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cuda_check.h"

#include "framework/core/error.h"

namespace dflash {

void check_cuda(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    throw DeviceError(fmt::format("{} failed: {}: {}", call, cudaGetErrorName(status), cudaGetErrorString(status)));
  }
}

}  // namespace dflash
