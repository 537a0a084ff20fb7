// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace dflash {

/// Throws DeviceError with the call, the error's name and its text unless `status` is success.
void check_cuda(cudaError_t status, const char* call);

}  // namespace dflash

/// Checks a call of the CUDA runtime.
#define DFLASH_CUDA_CHECK(call) ::dflash::check_cuda((call), #call)
