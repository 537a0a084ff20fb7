// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "framework/runtime/stage_driver.h"

namespace dflash {

/// The driver that suits the stage.
[[nodiscard]] std::unique_ptr<StageDriver> make_driver(const Graph::Vertex& vertex, RunState& run,
                                                       RunDevices::Device* device);

}  // namespace dflash
