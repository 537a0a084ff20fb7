// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/core/json.h"
#include "stages/models/config_faults.h"
#include "stages/models/drafter_config.h"
#include "stages/models/target_config.h"

namespace dflash {

/// The target as a folder in the layout of the `speculators` package names it. That package takes embedding, head and
/// last norm from there when it loads the drafter.
struct Verifier {
  std::string path;          // a folder, or a name on a hub; written as it is
  std::string architecture;  // "Qwen3ForCausalLM"
};

/// The layers that a drafter's features enter, each one more than the layer that it leaves (`target_layer_ids`): how
/// vLLM and speculators number them, and the index into the hidden states of transformers.
std::vector<std::int64_t> entered_layers(const DrafterConfig& config);

/// The target in a folder, by its absolute path.
Verifier verifier_of(const std::filesystem::path& target_folder, const TargetConfig& config);

/// Writes the `config.json` of that layout. `dtype` is the type of the exported weights ("bfloat16", "float32").
Json speculators_config_json(const DrafterConfig& config, const std::string& dtype, const Verifier& verifier);

/// Says whether a drafter's configuration is of that layout, and not z-lab's.
bool is_speculators_config(const Json& json);

/// The configuration in z-lab's layout of a drafter that was stored in either; of the other layout without
/// `num_target_layers`, which it lacks. Adds what has no like (a reduced vocabulary), and taps that are not named: a
/// formula could only guess which layers it was trained on.
Json stored_drafter_config(const Json& json, ConfigFaults& faults);

}  // namespace dflash
