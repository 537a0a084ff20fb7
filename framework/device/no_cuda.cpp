// SPDX-License-Identifier: Apache-2.0
#include "framework/device/device.h"

namespace dflash {

std::vector<CudaDevice> cuda_devices() { return {}; }

std::string no_cuda_reason() { return "this build has no CUDA back end (build with the preset 'cuda')"; }

}  // namespace dflash
