// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace dflash {

/// Names of the CUDA devices that this build can use, by index; empty where there are none or the build has no CUDA.
std::vector<std::string> cuda_device_names();

/// Why `cuda_device_names` is empty, as a sentence; empty where it is not.
std::string no_cuda_reason();

/// Turns a device parameter into "cpu" or "cuda:N". "auto" is the first CUDA device where there is one, else the CPU.
/// Throws UserError for another word and for a device that cannot be had.
std::string resolve_device(const std::string& device);

}  // namespace dflash
