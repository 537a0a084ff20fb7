// SPDX-License-Identifier: Apache-2.0
#include "framework/device/device.h"

#include <charconv>

#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr std::string_view kCudaPrefix = "cuda:";

}  // namespace

std::string resolve_device(const std::string& device) {
  if (device == "cpu") {
    return device;
  }
  const std::vector<CudaDevice> devices = cuda_devices();
  if (device == "auto") {
    return devices.empty() ? "cpu" : "cuda:0";
  }
  std::size_t index = 0;
  const char* end = device.data() + device.size();
  const bool cuda = device.starts_with(kCudaPrefix);
  const auto parsed = cuda ? std::from_chars(device.data() + kCudaPrefix.size(), end, index) : std::from_chars_result{};
  DFLASH_USER_CHECK(cuda && parsed.ec == std::errc{} && parsed.ptr == end,
                    "device: found '{}', allowed: auto, cpu, cuda:0, cuda:1, ...", device);
  DFLASH_USER_CHECK(!devices.empty(), "device '{}' cannot be had: {}", device, no_cuda_reason());
  DFLASH_USER_CHECK(index < devices.size(), "device '{}' cannot be had: there are {} CUDA devices", device,
                    devices.size());
  return device;
}

}  // namespace dflash
