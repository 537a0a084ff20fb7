// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "framework/device/cuda_check.h"
#include "framework/device/device.h"

namespace dflash {

std::vector<CudaDevice> cuda_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    return {};
  }
  std::vector<CudaDevice> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    DFLASH_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    devices.push_back({.name = properties.name, .memory_bytes = properties.totalGlobalMem});
  }
  return devices;
}

std::string cuda_version() { return fmt::format("{}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10); }

std::string no_cuda_reason() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    return std::string{"the CUDA driver says: "} + cudaGetErrorString(error);
  }
  return count == 0 ? "there is no CUDA device" : "";
}

}  // namespace dflash
