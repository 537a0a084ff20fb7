// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/make_driver.h"

#include "framework/runtime/buffer_driver.h"
#include "framework/runtime/firing_driver.h"
#include "framework/runtime/parallel_driver.h"

namespace dflash {

std::unique_ptr<StageDriver> make_driver(const Graph::Vertex& vertex, RunState& run, RunDevices::Device* device) {
  if (dynamic_cast<Buffer*>(vertex.stage.get()) != nullptr) {
    return std::make_unique<BufferDriver>(vertex, run);
  }
  if (vertex.placement.replicas > 1) {
    return std::make_unique<ParallelDriver>(vertex, run, device);
  }
  return std::make_unique<FiringDriver>(vertex, run, device);
}

}  // namespace dflash
