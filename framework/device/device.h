// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dflash {

/// A CUDA device, as its driver describes it.
struct CudaDevice {
  std::string name;
  std::uint64_t memory_bytes = 0;
};

/// The CUDA devices that this build can use, by index; empty where there are none or the build has no CUDA.
std::vector<CudaDevice> cuda_devices();

/// Why `cuda_devices` is empty, as a clause; empty where it is not.
std::string no_cuda_reason();

/// The version of CUDA that this build was compiled with ("13.0"); empty where it has no CUDA.
std::string cuda_version();

/// Turns a device parameter into "cpu", "cuda:N" or "sim:N". "auto" is the first CUDA device where there is one, else
/// the CPU. Throws UserError for another word and for a device that cannot be had.
std::string resolve_device(const std::string& device);

/// Where what is computed for a device has its tensors: a simulated one has none, so they are on the CPU.
std::string tensor_device(const std::string& device);

}  // namespace dflash
