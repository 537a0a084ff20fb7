// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/core/graph.h"
#include "framework/runtime/device_slot.h"
#include "framework/runtime/firing_slot.h"
#include "framework/runtime/planted_faults.h"
#include "framework/runtime/run_state.h"

namespace dflash {

/// Runs the bodies of a stage's firings: on its device where it has one, with what is planted, and by its error policy.
/// Stages with several slots call it from several threads at once.
class FiringBody {
 public:
  FiringBody(const Graph::Vertex& vertex, RunState& run);

  /// The slot's inputs are set. A firing that fails is skipped or tried again where the graph says so. False: it
  /// failed, and with it the run. `device`: null on the host.
  [[nodiscard]] bool fire(FiringSlot& slot, DeviceSlot* device) const;
  /// The same for the stage's drain, which is not tried again.
  [[nodiscard]] bool drain(FiringSlot& slot, DeviceSlot* device) const;

  /// What is planted into a firing that has no body of its own, a buffer's.
  void plant_before(std::int64_t firing) const;
  void plant_after(std::int64_t firing, std::vector<StagedItem>& staged) const;

 private:
  void run(FiringSlot& slot, DeviceSlot* device, std::int64_t attempt) const;

  const Graph::Vertex* vertex_;
  RunState* run_;
  std::optional<PlantedFaults> planted_;
};

}  // namespace dflash
