// SPDX-License-Identifier: Apache-2.0
#include "stages/application.h"

#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>
#include <torch/headeronly/version.h>

#include "framework/device/device.h"
#include "stages/catalog.h"
#include "stages/export/export_command.h"
#include "stages/export/parity_command.h"
#include "stages/session/dflash_run.h"

namespace dflash {

Application dflash_application() {
  return {
      .name = "dflash-graph",
      .version = DFLASH_VERSION,
      .catalog = stage_catalog(),
      .new_run = [] { return std::make_unique<DflashRun>(); },
      .commands = {export_command(resolve_run_models), parity_command()},
      .resolve_device = resolve_device,
      .worker_started = [] { at::set_num_threads(1); },
      .versions = [] { return Json{{"dflash-graph", DFLASH_VERSION}, {"LibTorch", TORCH_VERSION}}; },
  };
}

}  // namespace dflash
