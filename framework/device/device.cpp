// SPDX-License-Identifier: Apache-2.0
#include "framework/device/device.h"

#include <charconv>
#include <optional>

#include "framework/core/error.h"
#include "framework/device/accelerator.h"
#include "framework/device/sim_accelerator.h"

namespace dflash {
namespace {

constexpr std::string_view kCudaPrefix = "cuda:";
constexpr std::string_view kSimPrefix = "sim:";

/// The N of "cuda:N".
std::optional<int> index_of(const std::string& device, std::string_view prefix) {
  int index = 0;
  if (!device.starts_with(prefix)) {
    return std::nullopt;
  }
  const char* end = device.data() + device.size();
  const auto parsed = std::from_chars(device.data() + prefix.size(), end, index);
  return parsed.ec == std::errc{} && parsed.ptr == end && index >= 0 ? std::optional{index} : std::nullopt;
}

}  // namespace

std::string resolve_device(const std::string& device) {
  if (device == "cpu" || index_of(device, kSimPrefix)) {
    return device;
  }
  const std::vector<CudaDevice> devices = cuda_devices();
  if (device == "auto") {
    return devices.empty() ? "cpu" : "cuda:0";
  }
  const std::optional<int> index = index_of(device, kCudaPrefix);
  DFLASH_USER_CHECK(index, "device: found '{}', allowed: auto, cpu, cuda:0, cuda:1, ..., sim:0, ...", device);
  DFLASH_USER_CHECK(!devices.empty(), "device '{}' cannot be had: {}", device, no_cuda_reason());
  DFLASH_USER_CHECK(*index < static_cast<int>(devices.size()), "device '{}' cannot be had: there are {} CUDA devices",
                    device, devices.size());
  return device;
}

std::string tensor_device(const std::string& device) { return device.starts_with(kSimPrefix) ? "cpu" : device; }

std::unique_ptr<Accelerator> make_accelerator(const std::string& name) {
  if (index_of(name, kSimPrefix)) {
    return std::make_unique<SimAccelerator>();
  }
  const std::optional<int> index = index_of(name, kCudaPrefix);
  DFLASH_USER_CHECK(index, "device '{}' is no accelerator", name);
  return make_cuda_accelerator(*index);
}

}  // namespace dflash
