// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include <nlohmann/json.hpp>

#include "framework/cli/application.h"
#include "framework/core/json.h"
#include "stages/models/drafter_config.h"
#include "stages/models/target_config.h"

namespace dflash {

/// The models that a run was made with.
struct RunModels {
  std::filesystem::path target_folder;
  TargetConfig target_config;
  DrafterConfig drafter_config;
  Json chat = {};  // {template, thinking} of its chats; null: not known
};

/// Turns the "models" of a run's resolved graph into configurations, as at the start of that run.
using ResolveModels = std::function<RunModels(const Json& models)>;

/// Makes the command `export RUN_OR_CHECKPOINT DIR --format zlab|speculators [--verifier PATH] [--dtype fp32|bf16]`.
/// Without `--dtype` the weights are written in the type that the run computed in, bit by bit as it had them. The
/// parity set decodes the prompts of the export that the run wrote itself; where it wrote none, the set is empty, and
/// the command says so.
Command export_command(ResolveModels resolve);

}  // namespace dflash
