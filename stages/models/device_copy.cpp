// SPDX-License-Identifier: Apache-2.0
#include "stages/models/device_copy.h"

#include <ATen/ATen.h>

namespace dflash {

at::Tensor to_device(const at::Tensor& host, at::Device device) {
  if (!device.is_cuda() || !host.is_cpu()) {
    return host.to(device, /*non_blocking=*/true);
  }
  // From pageable memory the driver would wait. The allocator of pinned memory keeps it until the copy is done.
  return host.pin_memory().to(device, /*non_blocking=*/true);
}

at::Tensor to_host(const at::Tensor& values) { return values.to(at::kCPU, /*non_blocking=*/true); }

}  // namespace dflash
