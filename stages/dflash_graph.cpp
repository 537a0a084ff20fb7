// SPDX-License-Identifier: Apache-2.0
// The program: hands the stages, the models and the export to the framework's command line.
#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>
#include <torch/headeronly/version.h>

#include "framework/cli/application.h"
#include "framework/device/device.h"
#include "stages/catalog.h"
#include "stages/export/export_command.h"
#include "stages/session/dflash_run.h"

int main(int argc, char** argv) {
  dflash::Application application{
      .name = "dflash-graph",
      .version = DFLASH_VERSION,
      .catalog = dflash::stage_catalog(),
      .new_run = [] { return std::make_unique<dflash::DflashRun>(); },
      .commands = {dflash::export_command(dflash::resolve_run_models)},
      .resolve_device = dflash::resolve_device,
      .worker_started = [] { at::set_num_threads(1); },
      .versions = [] { return dflash::Json{{"dflash-graph", DFLASH_VERSION}, {"LibTorch", TORCH_VERSION}}; },
  };
  return dflash::run_command_line(application, argc, argv);
}
