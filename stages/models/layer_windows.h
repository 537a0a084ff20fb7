// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "framework/core/json.h"
#include "stages/models/config_fields.h"
#include "stages/models/layer_kind.h"
#include "stages/models/target_family.h"

namespace dflash {

/// Which layers of a target slide, and how many tokens those see.
struct LayerWindows {
  std::vector<LayerKind> types;  // one per layer; empty where none slides
  std::int64_t window = 0;       // the query's own token included; 0 where none slides
};

/// Reads `use_sliding_window`, `sliding_window`, `max_window_layers` and `layer_types` of a Hugging Face config as
/// `transformers` does, and adds faults for what contradicts itself, or the family.
LayerWindows read_layer_windows(ConfigFields& fields, const FamilyTraits& traits, std::int64_t num_layers);

void write_layer_windows(const LayerWindows& windows, Json& config);

}  // namespace dflash
