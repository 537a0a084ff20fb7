// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/run_devices.h"

#include "framework/core/error.h"

namespace dflash {

bool has_device_delay(const Graph::Vertex& vertex) {
  return vertex.placement.inject && vertex.placement.inject->gpu_sleep_ms > 0.0;
}

namespace {

std::string fault_text(const std::string& device, const Reaper::Fault& fault) {
  std::string text = fmt::format("its work on {} failed: {}", device, fault.what);
  if (!fault.beside.empty()) {
    text += fmt::format(" (or that of {}, which was under way at the same time)", fmt::join(fault.beside, ", "));
  }
  return text;
}

}  // namespace

RunDevices::RunDevices(const Graph& graph, const std::string& device, RunState& run) : device_{device} {
  for (const Graph::Vertex& vertex : graph.vertices()) {
    const std::string name = device_of(vertex, device_);
    DFLASH_USER_CHECK(!has_device_delay(vertex) || name != kHostDevice,
                      "stage '{}': inject.gpu_sleep_ms needs a stage that works on a device, and one to work on",
                      vertex.name);
    if (name == kHostDevice || devices_.contains(name)) {
      continue;
    }
    Device made{.name = name, .accelerator = make_accelerator(name), .reaper = nullptr};
    made.reaper = std::make_unique<Reaper>(name, *made.accelerator, [&run, name](const Reaper::Fault& fault) {
      run.fail(StageError{fault.stage, "fire", fault.firing, fault_text(name, fault), false});
    });
    devices_.emplace(name, std::move(made));
  }
}

RunDevices::Device* RunDevices::of(const Graph::Vertex& vertex) {
  const auto found = devices_.find(device_of(vertex, device_));
  return found == devices_.end() ? nullptr : &found->second;
}

void RunDevices::synchronize() {
  for (const auto& [name, device] : devices_) {
    device.accelerator->synchronize();
  }
}

std::vector<DeviceRecord> RunDevices::records() {
  std::vector<DeviceRecord> records;
  records.reserve(devices_.size());
  for (const auto& [name, device] : devices_) {
    records.push_back(device.reaper->record());
  }
  return records;
}

std::vector<LiveDevice> RunDevices::live() {
  std::vector<LiveDevice> devices;
  for (const auto& [name, device] : devices_) {
    devices.push_back(device.reaper->live());
  }
  return devices;
}

std::vector<DeviceTimeline> RunDevices::timelines() {
  std::vector<DeviceTimeline> timelines;
  for (const auto& [name, device] : devices_) {
    timelines.push_back(device.reaper->timeline());
  }
  return timelines;
}

}  // namespace dflash
