// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "framework/device/device.h"

namespace dflash {

std::vector<std::string> cuda_device_names() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    return {};
  }
  std::vector<std::string> names;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    names.emplace_back(cudaGetDeviceProperties(&properties, device) == cudaSuccess ? properties.name : "unknown");
  }
  return names;
}

std::string no_cuda_reason() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    return std::string{"the CUDA driver says: "} + cudaGetErrorString(error);
  }
  return count == 0 ? "there is no CUDA device" : "";
}

}  // namespace dflash
