// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/graph.h"
#include "framework/device/accelerator.h"
#include "framework/device/reaper.h"
#include "framework/runtime/run_state.h"
#include "framework/telemetry/live_view.h"

namespace dflash {

/// `inject.gpu_sleep_ms` is planted into the stage, which must work on an accelerator then.
[[nodiscard]] bool has_device_delay(const Graph::Vertex& vertex);

/// The accelerators that the stages of a run work on, each with its reaper.
class RunDevices {
 public:
  /// `device`: of stages whose placement names none. Throws UserError where one cannot be had.
  RunDevices(const Graph& graph, const std::string& device, RunState& run);

  struct Device {
    std::string name;
    std::unique_ptr<Accelerator> accelerator;
    std::unique_ptr<Reaper> reaper;
  };
  /// Null for a stage that works on the host.
  [[nodiscard]] Device* of(const Graph::Vertex& vertex);

  /// What stages have queued while they opened is done.
  void synchronize();
  [[nodiscard]] std::vector<DeviceRecord> records();
  /// From any thread.
  [[nodiscard]] std::vector<LiveDevice> live();
  [[nodiscard]] std::vector<DeviceTimeline> timelines();

 private:
  std::string device_;
  std::map<std::string, Device> devices_;
};

}  // namespace dflash
