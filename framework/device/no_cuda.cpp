// SPDX-License-Identifier: Apache-2.0
#include "framework/core/error.h"
#include "framework/device/accelerator.h"
#include "framework/device/device.h"

namespace dflash {

std::vector<CudaDevice> cuda_devices() { return {}; }

std::string no_cuda_reason() { return "this build has no CUDA back end (build with the preset 'cuda')"; }

std::string cuda_version() { return ""; }

void adopt_worker_thread() {}

std::unique_ptr<Accelerator> make_cuda_accelerator(int index) {
  throw UserError(fmt::format("device 'cuda:{}' cannot be had: {}", index, no_cuda_reason()));
}

}  // namespace dflash
