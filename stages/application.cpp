// SPDX-License-Identifier: Apache-2.0
#include "stages/application.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>
#include <torch/headeronly/version.h>

#include "framework/core/version.h"
#include "framework/device/device.h"
#include "stages/catalog.h"
#include "stages/export/export_command.h"
#include "stages/export/parity_command.h"
#include "stages/session/dflash_run.h"

namespace dflash {

namespace {

std::unique_ptr<RunHooks> new_run() {
  // cuDNN's attention makes a plan for every length of the keys, some 50 ms each, and a decoding loop has a new length
  // with every token.
  at::globalContext().setSDPUseCuDNN(false);
  return std::make_unique<DflashRun>();
}

Json versions() {
  Json versions{{"dflash-graph", kVersion}, {"LibTorch", TORCH_VERSION}};
  if (const std::string cuda = cuda_version(); !cuda.empty()) {
    versions["CUDA"] = cuda;
  }
  return versions;
}

}  // namespace

Application dflash_application() {
  return {
      .name = "dflash-graph",
      .version = kVersion,
      .catalog = stage_catalog(),
      .new_run = new_run,
      .commands = {export_command(resolve_run_models), parity_command()},
      .resolve_device = resolve_device,
      .worker_started = [] { at::set_num_threads(1); },
      .versions = versions,
  };
}

}  // namespace dflash
